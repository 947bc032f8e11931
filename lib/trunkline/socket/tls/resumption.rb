# frozen_string_literal: true

require "openssl"

module Trunkline
  module Socket
    module TLS
      # Resumes the session that an earlier connection to the same server has left, if the server issues sessions: a handshake without certificates and
      # signatures. OpenSSL verifies no certificate then, and returns the one of the full handshake. So a session is only used under the conditions of
      # that handshake, and no longer than the certificates which it has verified are valid, or than OpenSSL's own limit of a session (two hours).
      #
      # The latest session of each server is kept, for all clients of the process and its children.
      class Resumption
        # A session.
        #
        # session:: [OpenSSL::SSL::Session, nil] nil: a handshake with the last one has failed, and none is kept before `expires_at`
        # conditions:: [Array] of the full handshake
        # expires_at:: [Time]
        Kept = Struct.new(:session, :conditions, :expires_at) do
          def valid? = Time.now < expires_at

          def inspect = "#<#{self.class}>" # :nodoc:
        end

        # Servers whose sessions are kept, the latest ones: a bound on memory, not tuned. Without a session, a handshake takes longer.
        MOST = 64
        private_constant :Kept, :MOST

        @kept = {}

        class << self
          # @return [Kept, nil]
          def of(server) = @kept[server] # :nodoc:

          # Two threads may both replace the Hash; one of the sessions is dropped.
          def keep(server, kept) = @kept = [*@kept.except(server), [server, kept]].last(MOST).to_h # :nodoc:

          # Unless it was replaced meanwhile.
          def drop(server, kept) = (@kept = @kept.except(server) if @kept[server].equal?(kept)) # :nodoc:
        end

        # @param server [Array] what distinguishes it: name, address, port
        # @param conditions [Array] under which its certificate is verified, and the client's is sent; equal for equal conditions
        # @param offers [Boolean] whether to resume a session; false: the handshake is a full one, whose session is kept
        def initialize(server, conditions, offers: true)
          @server = server
          @conditions = conditions
          kept = self.class.of(server) if offers
          @offered = kept if kept&.session && kept.valid? && kept.conditions == conditions
        end

        # @return [OpenSSL::SSL::Session, nil] for the handshake. It is a copy: OpenSSL marks the session of a connection that ends without close_notify
        #   as not resumable
        def session = @offered&.session&.dup

        # @return [Boolean] whether there is such a session, and the server has resumed it, as far as is known
        def offered? = !@offered.nil?

        # A full handshake has taken its place: the server did not resume the session.
        #
        # @return [void]
        def not_resumed = @offered = nil

        # Keeps the session of a new connection.
        #
        # @param encrypted [OpenSSL::SSL::SSLSocket] from which bytes were read: in TLS 1.3 the server issues sessions after the handshake
        # @param valid_until [Time, nil] of the certificates that the handshake has verified
        # @return [void]
        def keep(encrypted, valid_until)
          session = encrypted.session
          return if session.nil? || session.id.empty? || failed_before?

          expires_at = @offered&.expires_at || [session.time + session.timeout, valid_until].compact.min
          self.class.keep(@server, Kept.new(session.dup, @conditions, expires_at))
        end

        # The session must not be used any more.
        #
        # @return [void]
        def drop = @offered && self.class.drop(@server, @offered)

        # The handshake with the session has failed, and so might those with later sessions of this server.
        #
        # @return [void]
        def fail = @offered && self.class.keep(@server, Kept.new(nil, @conditions, @offered.expires_at))

        private

        def failed_before?
          kept = self.class.of(@server)
          !kept.nil? && kept.session.nil? && kept.valid?
        end
      end
    end
  end
end
