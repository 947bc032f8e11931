# frozen_string_literal: true

module Trunkline
  # Refuses Marshal.dump, as of a cache that is given a client in place of its result. Ruby itself would name a Mutex or a Hash somewhere inside.
  module Undumpable # :nodoc:
    private

    def marshal_dump
      raise TypeError, "a #{self.class} cannot be dumped: it belongs to connections of this process; dump results, or the URI of which another " \
                       "process makes its own client"
    end
  end
  private_constant :Undumpable
end
