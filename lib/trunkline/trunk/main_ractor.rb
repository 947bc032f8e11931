# frozen_string_literal: true

require_relative "../errors"
require_relative "undumpable"

module Trunkline
  # Restricts clients, sessions and subscriptions to the main Ractor, to whose threads and fibers their connections and callers belong. Included by
  # each of them.
  module MainRactor # :nodoc:
    include Undumpable

    ADVICE = "a client works in the main Ractor only: run the query there, and send the rows to the other Ractors"
    private_constant :ADVICE

    # @raise [Error] the caller is in another Ractor
    def self.check
      raise Error, ADVICE unless Ractor.current == Ractor.main
    end

    private

    # Must be called first in initialize: Ruby moves an object's instance variables in order, and this one refuses to be moved, so nothing has been
    # moved before it is refused.
    def stay_in_main_ractor
      @unmovable = Unmovable::ONLY
    end

    # Ruby copies an object that is sent to another Ractor, as dup and clone do.
    def initialize_copy(_other)
      raise TypeError, "a #{self.class.name.split("::").last.downcase} cannot be copied: share it between threads and fibers as it is; #{ADVICE}"
    end
  end
  private_constant :MainRactor
end
