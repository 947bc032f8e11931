# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  # Clients and what belongs to them live in the main Ractor, as their connections and callers belong to its threads and fibers. Included by each
  # client, session and subscription.
  module MainRactor # :nodoc:
    ADVICE = "a client works in the main Ractor only: ask there, and send the other Ractors what they need of the answers"
    private_constant :ADVICE

    # @raise [Error] the caller is in another Ractor
    def self.check
      raise Error, ADVICE unless Ractor.current == Ractor.main
    end

    private

    # Called first in initialize. Ruby moves an object in the order of its instance variables, so nothing of it has been moved when this one is
    # refused.
    def stay_in_main_ractor
      @unmovable = Unmovable::ONLY
    end

    # Giving an object to another Ractor makes a copy; so do dup and clone.
    def initialize_copy(_other)
      raise TypeError, "a #{self.class.name.split("::").last.downcase} cannot be copied: share it between threads and fibers as it is; #{ADVICE}"
    end
  end
  private_constant :MainRactor
end
