# frozen_string_literal: true

require_relative "../../errors"
require_relative "authentication/channel_binding"
require_relative "authentication/cleartext"
require_relative "authentication/md5"
require_relative "authentication/scram"

module Trunkline
  module Postgres
    # The client's side of authentication, without I/O: takes messages and returns messages. The server chooses the method, requests one proof, and
    # accepts it or sends an error; anything else is a protocol error. The client decides which methods it allows, before it proves anything.
    class Authentication
      # Codes of the protocol's authentication messages.
      OK = 0
      CLEARTEXT = 3
      MD5_PASSWORD = 5
      SASL = 10
      SASL_CONTINUE = 11
      SASL_FINAL = 12

      # The names in `require_auth` of the methods that begin an exchange.
      METHODS = { OK => "none", CLEARTEXT => "password", MD5_PASSWORD => "md5", SASL => "scram-sha-256" }.freeze

      # Methods that are not supported.
      REFUSED = {
        2 => "Kerberos V5", 4 => "crypt", 6 => "SCM credentials", 7 => "GSSAPI", 8 => "GSSAPI", 9 => "SSPI"
      }.freeze

      SUPPORTED = "supported are password, md5 and scram-sha-256"

      private_constant :OK, :CLEARTEXT, :MD5_PASSWORD, :SASL, :SASL_CONTINUE, :SASL_FINAL, :METHODS, :REFUSED, :SUPPORTED

      # @param user [String]
      # @param password [#call] returns the password (a String or nil); called only if the server requests it
      # @param allowed [Array<String>, nil] of password, md5, scram-sha-256 and none; nil: any
      # @param channel_binding [String] disable, prefer or require
      # @param certificate [OpenSSL::X509::Certificate, nil] the server's; nil: the connection is not encrypted
      def initialize(user:, password:, allowed: nil, channel_binding: "prefer", certificate: nil)
        @user = user
        @password = password
        @allowed = allowed
        @binding = ChannelBinding.new(channel_binding, certificate)
        @expected = METHODS.keys
      end

      # @return [String, nil] the server's method, by its name in `require_auth`: none, password, md5 or scram-sha-256; nil: not chosen yet
      attr_reader :method_name

      # @return [Boolean] whether the server has accepted the client
      def complete? = @expected.empty?

      # @param request [String] body of an authentication message
      # @return [String] message to send; empty: none
      # @raise [ConnectionError] the server requests what is not given, not allowed or not supported
      # @raise [ProtocolError] its messages are invalid, or its own proof is missing or wrong
      def answer(request)
        code = request.unpack1("N")
        refuse(unsupported(code)) unless known?(code)
        raise ProtocolError, "unexpected authentication request #{code}" unless @expected.include?(code)

        begin_with(code) if @expected.size > 1
        respond(code, request.byteslice(4..))
      end

      # @return [String] the class alone: the instance variables contain a password
      def inspect = "#<#{self.class}>"

      private

      def known?(code) = METHODS.key?(code) || [SASL_CONTINUE, SASL_FINAL].include?(code)

      # The first request decides the method, if any.
      def begin_with(code)
        @method_name = METHODS[code]
        unless @allowed.nil? || @allowed.include?(METHODS[code])
          refuse("the server #{code == OK ? "requests no authentication" : "requests authentication by #{METHODS[code]}"}, and require_auth " \
                 "does not allow that")
        end
        refuse("channel_binding=require cannot be met: the server does not use SCRAM authentication") if @binding.required? && code != SASL
      end

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

      def begin_scram(offered)
        bound = @binding.use?(offered)
        mechanism = bound ? ChannelBinding::MECHANISM : SCRAM::MECHANISM
        refuse_mechanisms(offered) unless offered.include?(mechanism)

        @scram = SCRAM.new(password, header: @binding.header(bound), binding: bound ? @binding.data : "")
        first = @scram.first
        [mechanism, first.bytesize, first].pack("Z*Na*")
      end

      def refuse_mechanisms(offered)
        refuse("the server requests authentication by OAuth, which is not supported; #{SUPPORTED}") if offered == ["OAUTHBEARER"]

        names = offered.map { |name| name.gsub(/[^\w-]/, "?") }.join(", ")
        refuse("the server offers #{names} only; supported is #{SCRAM::MECHANISM}")
      end

      def password
        password = @password.call
        return password unless password.to_s.empty?

        refuse("the server requests a password for user #{@user.scrub.inspect}, and none is given")
      end

      def unsupported(code)
        "the server requests authentication by #{REFUSED[code] || "an unknown method (#{code})"}, which is not supported; #{SUPPORTED}"
      end

      # Not retriable: the same server will request the same for the same user.
      def refuse(message)
        raise ConnectionError.new(message, retriable: false)
      end
    end

    private_constant :Authentication
  end
end
