# frozen_string_literal: true

module Trunkline
  module Postgres
    # What a client has for adapters, and its users cannot call: a protected method may be called by whatever has the module that it stands in.
    module AdapterAccess # :nodoc:
      protected

      # @return [AdapterInterface] set by the client's constructor
      attr_reader :adapter_interface
    end
    private_constant :AdapterAccess
  end
end
