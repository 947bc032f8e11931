# frozen_string_literal: true

module Trunkline
  module Postgres
    # How many connections a client may have.
    module Budget # :nodoc:
      # @param connections [Integer] that queries share
      # @param max_connections [Integer] in all
      # @raise [ArgumentError]
      def self.check(connections, max_connections)
        unless connections.is_a?(Integer) && connections.positive?
          raise ArgumentError, "connections must be a positive Integer, not #{connections.inspect}"
        end
        return if max_connections.is_a?(Integer) && max_connections >= [connections, 2].max

        raise ArgumentError, "max_connections must be an Integer of at least #{[connections, 2].max}, not #{max_connections.inspect}: " \
                             "transactions need a connection besides the shared ones"
      end
    end
    private_constant :Budget
  end
end
