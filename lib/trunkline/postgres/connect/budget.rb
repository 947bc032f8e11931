# frozen_string_literal: true

module Trunkline
  module Postgres
    # How many connections a client may have.
    module Budget # :nodoc:
      # Connections that queries share by default, if there may be as many: a bound, not tuned. More let more long queries run at once.
      SHARED = 4
      # The server's own upper limit of max_connections.
      MOST = 262_143
      private_constant :SHARED, :MOST

      # @param connections [Integer, nil] shared by queries; nil: the default
      # @param max_connections [Integer] in all
      # @return [Integer] shared by queries
      # @raise [ArgumentError]
      def self.shared(connections, max_connections)
        check(:max_connections, max_connections)
        return [SHARED, max_connections].min if nil == connections

        check(:connections, connections)
        return connections if connections <= max_connections

        raise ArgumentError, "max_connections must be at least connections (#{connections}), not #{max_connections}"
      end

      def self.check(name, number)
        raise ArgumentError, "#{name} must be a positive Integer, not #{Argument.shown(number)}" unless Argument.is?(number, Integer) && number.positive?
        raise ArgumentError, "#{name} can be #{MOST} at most, as a server has no more sessions" if number > MOST
      end
      private_class_method :check
    end
    private_constant :Budget
  end
end
