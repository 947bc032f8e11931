# frozen_string_literal: true

require_relative "connector"

module Trunkline
  module Postgres
    # Opens a session for a client.
    module Login # :nodoc:
      # Turns the server's refusal into a {LoginError}, as it is not the error of the request that needed a connection, and passes on the notices of
      # the login. Keeps what the server reports: the database's encoding decides how its errors are decoded.
      #
      # @param connector [Connector] of the client
      # @param responses [ResponseReader] of the client
      # @return [Connection]
      # @raise [LoginError, ServerError, ConnectionError, ProtocolError, ConfigError] see {Connector.connect}
      def self.open(connector, responses)
        connection = connector.connect { |from, to| responses.switched(from, to) }
        responses.reported = connection.parameters.dup.freeze
        responses.announce_notices(connection.notices) if connection.notices
        announced = true
        connection
      rescue ServerError => error
        raise LoginError.of(error)
      ensure
        connection&.io&.close unless announced
      end
    end
    private_constant :Login
  end
end
