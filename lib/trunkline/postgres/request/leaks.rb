# frozen_string_literal: true

require_relative "../connect/connector"

module Trunkline
  module Postgres
    # Remembers statements that have left session state on a shared connection.
    class Leaks # :nodoc:
      # @param config [Config]
      # @param statements [Statements] in which they pin from then on
      def initialize(config, statements)
        @config = config
        @statements = statements
      end

      # @param request [Request] that has left session state
      def call(request)
        @statements.leaked(request.statement) unless request.leak == :setting && configured?(*request.altered_setting)
      end

      private

      # A reload of the server's configuration looks like a setting that a statement has left: then new connections have it too. If that cannot be
      # checked, the statement is shared until it happens again.
      def configured?(name, value)
        connection = Connector.connect(@config)
        connection.parameters[name] == value
      rescue Error
        true
      ensure
        connection&.io&.close
      end
    end
    private_constant :Leaks
  end
end
