# frozen_string_literal: true

require_relative "../connect/connector"

module Trunkline
  module Postgres
    # Remembers the statements that have left something behind on a connection that others share.
    class Leaks # :nodoc:
      # @param config [Config]
      # @param statements [Statements] in which they pin from then on
      def initialize(config, statements)
        @config = config
        @statements = statements
      end

      # @param request [Request] that has left something behind
      def call(request)
        @statements.leaked(request.statement) unless request.leak == :setting && configured?(*request.altered_setting)
      end

      private

      # A server's configuration that was loaded anew looks like a setting that a statement has left behind: then new connections have it
      # too. Where that cannot be found out, the statement shares until it is seen again.
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
