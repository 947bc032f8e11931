# frozen_string_literal: true

require "openssl"

module Trunkline
  module Socket
    # Extracts the reason from an OpenSSL error message, without OpenSSL's internal state.
    module TLSReason
      # @param error [OpenSSL::OpenSSLError]
      # @return [String]
      def self.of(error)
        reason = error.message[/state=[^:=]*: (.*)/m, 1] || error.message[/: (.*)/m, 1] || error.message
        reason.sub("unexpected eof while reading", "the server closed the connection")
      end
    end
  end
end
