# frozen_string_literal: true

require_relative "../errors"
require_relative "authentication/cleartext"
require_relative "authentication/md5"
require_relative "authentication/scram"

module Trunkline
  module Postgres
    # Answers the server's authentication requests: bytes in, bytes out. The server chooses the method, asks for one
    # proof and takes it or sends an error; anything else is a protocol error.
    class Authentication
      OK = 0
      CLEARTEXT = 3
      MD5_PASSWORD = 5
      SASL = 10
      SASL_CONTINUE = 11
      SASL_FINAL = 12

      # Ways to prove an identity that need what is not here.
      REFUSED = {
        2 => "Kerberos V5", 4 => "crypt", 6 => "SCM credentials", 7 => "GSSAPI", 8 => "GSSAPI", 9 => "SSPI"
      }.freeze

      private_constant :OK, :CLEARTEXT, :MD5_PASSWORD, :SASL, :SASL_CONTINUE, :SASL_FINAL, :REFUSED

      # @param user [String]
      # @param password [#call] asked for the password (a String or nil), and only when the server wants one
      def initialize(user:, password:)
        @user = user
        @password = password
        @expected = [OK, CLEARTEXT, MD5_PASSWORD, SASL]
      end

      # @return [Boolean] whether the server has said that it is satisfied
      def complete? = @expected.empty?

      # @param request [String] body of an authentication message
      # @return [String] message to send, empty when there is nothing to say
      # @raise [ConnectionError] when the server wants what is not given or not supported
      # @raise [ProtocolError] when its messages make no sense, or its own proof is missing or wrong
      def answer(request)
        code = request.unpack1("N")
        refuse(unsupported(code)) unless known?(code)
        raise ProtocolError, "authentication request #{code} out of turn" unless @expected.include?(code)

        respond(code, request.byteslice(4..))
      end

      # @return [String] the class alone: there is a password inside
      def inspect = "#<#{self.class}>"

      private

      def known?(code) = [OK, CLEARTEXT, MD5_PASSWORD, SASL, SASL_CONTINUE, SASL_FINAL].include?(code)

      def respond(code, data)
        case code
        when OK then expect
        when CLEARTEXT then expect(OK, message: Cleartext.response(password))
        when MD5_PASSWORD then expect(OK, message: MD5.response(@user, password, salt(data)))
        when SASL then expect(SASL_CONTINUE, message: begin_scram(data.split("\0")))
        when SASL_CONTINUE then expect(SASL_FINAL, message: @scram.final(data))
        else
          @scram.verify(data)
          expect(OK)
        end
      end

      def expect(*codes, message: nil)
        @expected = codes
        message ? ["p", message.bytesize + 4, message].pack("aNa*") : ""
      end

      def salt(data)
        data.bytesize == 4 ? data : raise(ProtocolError, "an MD5 salt has 4 bytes, not #{data.bytesize}")
      end

      def begin_scram(mechanisms)
        unless mechanisms.include?(SCRAM::MECHANISM)
          offered = mechanisms.map { |name| name.gsub(/[^\w-]/, "?") }.join(", ")
          refuse("the server offers #{offered} only; supported is #{SCRAM::MECHANISM}")
        end

        @scram = SCRAM.new(password)
        first = @scram.first
        [SCRAM::MECHANISM, first.bytesize, first].pack("Z*Na*")
      end

      def password
        password = @password.call
        return password unless password.to_s.empty?

        refuse("the server wants a password for user #{@user.scrub.inspect}, and none is given")
      end

      def unsupported(code)
        "the server wants authentication by #{REFUSED[code] || "an unknown method (#{code})"}, which is not supported; " \
          "supported are password, md5 and scram-sha-256"
      end

      # The same server will want the same of the same user.
      def refuse(message)
        raise ConnectionError.new(message, retriable: false)
      end
    end

    private_constant :Authentication
  end
end
