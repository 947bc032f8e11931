# frozen_string_literal: true

require_relative "../../errors"
require_relative "../../socket/deadline_io"
require_relative "../../socket/tls"
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

      CHUNK = 8192
      SHOWN = 60

      private_constant :REQUEST, :VARIANTS, :ADDRESS, :CHUNK, :SHOWN

      # @param config [Config]
      # @param host [Config::Host]
      def initialize(config, host)
        @config = config
        @host = host
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
        when "N" then required? ? refuse("the server does not encrypt, and sslmode=#{@config.sslmode} wants it", retriable: false) : false
        when /\AE/n then refuse("the server answered the request to encrypt with an error, which is not authenticated")
        else raise ProtocolError, "this does not seem to be a PostgreSQL server: it answered the request to encrypt with #{shown(answer)}"
        end
      end

      # @param io [::Socket] whose server has agreed
      # @param deadline [Float, nil] on the clock of {Socket::Readiness.now}
      # @return [OpenSSL::SSL::SSLSocket] to a server whose identity is verified, as far as the options require
      # @raise [ConnectionError, ConfigError]
      def shake_hands(io, deadline)
        context = Context.new(@config)
        encrypted = Socket::TLS.connect(io, context.build, deadline, server_name: server_name) or too_late
        check(encrypted, context)
        encrypted
      rescue OpenSSL::SSL::SSLError => error
        refuse(context.distrust || "encryption could not be negotiated: #{Socket::TLSReason.of(error)}#{direct_hint}", retriable: false)
      rescue SystemCallError => error
        broken(error)
      end

      private

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
        refuse("the server did not ask for a certificate, and sslcertmode=require wants that", retriable: false) unless context.certificate_requested?
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
