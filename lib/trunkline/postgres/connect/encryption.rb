# frozen_string_literal: true

require_relative "../../errors"
require_relative "../../socket/deadline_io"
require_relative "../../socket/tls"
require_relative "../../socket/tls/resumption"
require_relative "encryption/context"

module Trunkline
  module Postgres
    # Encrypts a connection to one host as the options that begin with "ssl" specify (PostgreSQL manual, "SSL Session Encryption").
    class Encryption
      REQUEST = [8, (1234 << 16) | 5679].pack("NN").freeze

      # The variants to try, in order. If encryption is only preferred or allowed, the connection is not safe from an attacker that can change its
      # bytes.
      VARIANTS = { "disable" => %i[clear], "allow" => %i[clear encrypted], "prefer" => %i[encrypted clear] }.freeze

      # IP addresses are not sent as server names (RFC 6066, 3).
      ADDRESS = /\A[\d.]+\z|:/

      CHUNK = 8192 # bytes that are read at a time, a bound: the answer has one byte
      SHOWN = 60   # bytes of a wrong answer that messages contain

      private_constant :REQUEST, :VARIANTS, :ADDRESS, :CHUNK, :SHOWN

      # @param config [Config]
      # @param host [Config::Host]
      def initialize(config, host)
        @config = config
        @host = host
        @resumes = true
        @context = @resumption = nil
      end

      # @return [Array<Encryption, nil>] the variants to try, in order; nil: in the clear
      def variants
        return [nil] if @host.unix_socket?

        VARIANTS.fetch(@config.sslmode, %i[encrypted]).map { |variant| self if variant == :encrypted }
      end

      # Sends SSLRequest, unless sslnegotiation is direct. The answer is one byte; an attacker must have added anything that follows it
      # (CVE-2021-23222).
      #
      # @param io [::Socket] on which nothing was sent yet
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [Boolean] false: the server does not encrypt, and continues in the clear
      # @raise [ConnectionError, ProtocolError]
      def agreed?(io, deadline)
        return true if @config.sslnegotiation == "direct"

        case answer = negotiate(io, deadline)
        when "S" then true
        when "N" then required? ? refuse("the server does not support encryption, and sslmode=#{@config.sslmode} requires it", retriable: false) : false
        when /\AE/n then refuse("the server answered the SSLRequest with an error, which is not authenticated")
        else raise ProtocolError, "this does not seem to be a PostgreSQL server: it answered the SSLRequest with #{shown(answer)}"
        end
      end

      # @param io [::Socket] whose server has agreed
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [OpenSSL::SSL::SSLSocket] to a server whose identity is verified, as far as the options require
      # @raise [ConnectionError, ConfigError]
      def shake_hands(io, deadline)
        @context = context = Context.new(@config)
        settings = context.build
        @resumption = resumption = resumption_under(context, settings)
        encrypted = Socket::TLS.connect(io, settings, deadline, server_name: server_name, session: resumption&.session) or too_late
        resumption&.not_resumed unless encrypted.session_reused?
        check(encrypted, context)
        encrypted
      rescue OpenSSL::SSL::SSLError => error
        context.distrust ? resumption&.not_resumed : resumption&.fail # a resumed session has no certificates to verify
        refuse(context.distrust || "encryption could not be negotiated: #{Socket::TLSReason.of(error)}#{direct_hint}", retriable: false)
      rescue SystemCallError => error
        broken(error)
      end

      # Keeps the session of the connection for the next one, if the server has issued one.
      #
      # @param encrypted [OpenSSL::SSL::SSLSocket] what {#shake_hands} has returned last; the server has accepted the client's identity since
      # @return [void]
      def keep_session(encrypted) = @resumption&.keep(encrypted, @context.valid_until)

      # @return [Boolean] whether the last handshake has resumed a session, or tried to and failed
      def resuming? = !!@resumption&.offered?

      # Makes later handshakes full ones.
      #
      # @return [void]
      def forget_session
        @resumption.drop
        @resumption = nil # a later variant without encryption has none
        @resumes = false
      end

      private

      # Lists of revoked certificates may have changed since the session's handshake, so with them each handshake is a full one. The store of trusted
      # certificates is the same as long as their file is.
      def resumption_under(context, settings)
        return if context.revocation?

        server = [@host.host, @host.hostaddr, @host.port, server_name, @config.sslcertmode]
        Socket::TLS::Resumption.new(server, [settings.cert_store, context.certificate&.to_der], offers: @resumes)
      end

      def negotiate(io, deadline)
        sent = Socket::DeadlineIO.write(io, REQUEST, deadline)
        answer = sent && Socket::DeadlineIO.read(io, CHUNK, deadline)
        too_late if answer == false
        answer || closed
      rescue Errno::ECONNRESET, Errno::EPIPE
        closed
      rescue SystemCallError => error
        broken(error)
      end

      def shown(answer) = answer.byteslice(0, SHOWN).force_encoding(Encoding::UTF_8).scrub.strip.inspect

      def required? = !VARIANTS.key?(@config.sslmode)

      def server_name = (@host.host if @config.sslsni && !@host.host.match?(ADDRESS))

      def check(encrypted, context)
        if @config.sslnegotiation == "direct" && encrypted.alpn_protocol != Context::PROTOCOL
          refuse("the server does not speak PostgreSQL's protocol over TLS (sslnegotiation=direct)", retriable: false)
        end
        unless encrypted.session_reused? || context.certificate_requested?
          refuse("the server did not request a certificate, and sslcertmode=require requires that", retriable: false)
        end
        check_name(Socket::TLS::Identity.new(encrypted.peer_cert)) if @config.sslmode == "verify-full"
      end

      def check_name(identity)
        return if identity.of?(@host.host)

        refuse("the server's certificate is for #{identity}, not for #{@host.host.inspect}", retriable: false)
      end

      def too_late = refuse("no answer in time while encryption was negotiated")

      def closed = refuse("the server closed the connection while encryption was negotiated")

      def broken(error)
        reason = SystemCallError.new(nil, error.errno).message.downcase
        refuse("the connection broke while encryption was negotiated: #{reason}#{direct_hint}")
      end

      # Older servers take the first bytes of TLS for the length of a startup packet, which is too long, and close the connection.
      def direct_hint
        " (sslnegotiation=direct needs PostgreSQL 17 or newer; sslnegotiation=postgres works with all)" if @config.sslnegotiation == "direct"
      end

      def refuse(message, **options)
        raise ConnectionError.new(message, **options)
      end
    end

    private_constant :Encryption
  end
end
