# frozen_string_literal: true

module Trunkline
  module Postgres
    class Startup
      # Errors for bytes that are no messages of protocol 3.
      module UnexpectedReply
        # How many bytes of the reply are shown: a bound.
        SHOWN = 60
        private_constant :SHOWN

        module_function

        # Protocol 2 sent errors as text that ends with NUL. Servers older than 17 still do when they cannot start a
        # process for the connection.
        #
        # @param bytes [String] "E" and text
        # @return [ConnectionError]
        def old_error(bytes)
          ConnectionError.new("the server refused the connection: #{text(bytes[1..][/\A[^\0]*/n])}")
        end

        # @param bytes [String] the reply
        # @return [ProtocolError]
        def nonsense(bytes)
          shown = text(bytes[0, SHOWN]).inspect
          ProtocolError.new("this does not seem to be a PostgreSQL server: it answered #{shown}")
        end

        def text(bytes) = bytes.dup.force_encoding(Encoding::UTF_8).scrub.strip

        private_class_method :text
      end

      private_constant :UnexpectedReply
    end
  end
end
