# frozen_string_literal: true

require_relative "connector"

module Trunkline
  module Postgres
    # Opens a session for a client.
    module Login # :nodoc:
      # What the server refuses before the first request is not that request's error; what it notices is told, and that it is another one. What it reports
      # is kept: the encoding of the database tells how its errors are to be read.
      #
      # @param connector [Connector] of the client
      # @param responses [ResponseReader] of the client
      # @return [Connection]
      # @raise [LoginError, ServerError, ConnectionError, ProtocolError, ConfigError] see {Connector.connect}
      def self.open(connector, responses)
        connection = connector.connect { |from, to| responses.switched(from, to) }
        responses.reported = connection.parameters.dup.freeze
        responses.tell(connection.notices) if connection.notices
        told = true
        connection
      rescue ServerError => error
        raise LoginError.of(error)
      ensure
        connection&.io&.close unless told
      end
    end
    private_constant :Login
  end
end
