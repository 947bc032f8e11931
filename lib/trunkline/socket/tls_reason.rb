# frozen_string_literal: true

require "openssl"

module Trunkline
  module Socket
    # What OpenSSL says went wrong, without the state of its machinery.
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
