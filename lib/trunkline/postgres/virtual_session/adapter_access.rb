# frozen_string_literal: true

module Trunkline
  module Postgres
    # Gives adapters access to a client's internals, which its users do not have: a protected method can be called from the module that defines it.
    module AdapterAccess # :nodoc:
      protected

      # @return [AdapterInterface] set by the client's constructor
      attr_reader :adapter_interface
    end
    private_constant :AdapterAccess
  end
end
