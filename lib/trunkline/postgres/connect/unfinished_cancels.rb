# frozen_string_literal: true

require_relative "../../trunk/lock"
require_relative "../../trunk/waiting"
require_relative "cancel"

module Trunkline
  module Postgres
    # Connections that carried a request to cancel, and that the server has not closed yet. They stay open for a while: PgBouncer before
    # 1.19 ends when one is closed before it has passed the request on. With each that comes, those that are over are closed.
    class UnfinishedCancels # :nodoc:
      # Seconds. Whatever has not passed a request on by then will not.
      LONGEST = 60
      # Connections; the oldest gives way to one more.
      MOST = 64
      CHUNK = 64
      private_constant :LONGEST, :MOST, :CHUNK

      def initialize
        @lock = Lock.new
        @open = {}.compare_by_identity # IO => when it is closed at the latest
      end

      # @return [Integer]
      def size = @open.size

      # @param connection [Connection]
      # @return [Proc, nil] as {Trunk} takes it; nil: the server has not told how to cancel
      def canceller(connection)
        endpoint, pid, key = connection.endpoint, connection.backend_pid, connection.secret_key
        pid && key && ->(by, &dealt_with) { Cancel.deliver(endpoint, pid, key, deadline: by, unfinished: self, &dealt_with) }
      end

      # @param io [::Socket, OpenSSL::SSL::SSLSocket] non-blocking
      def add(io)
        close_where { |other, by| Waiting.now >= by || over?(other) }
        @lock.synchronize { @open[io] = Waiting.now + LONGEST }
        close_where { |other,| @open.size > MOST && other.equal?(@open.first.first) }
      end

      # Closes them all.
      def close = close_where { true }

      private

      def close_where(&block)
        closing = @lock.synchronize { @open.select(&block).keys.each { |io| @open.delete(io) } }
        closing.each(&:close)
      end

      def over?(io)
        nil while (bytes = io.read_nonblock(CHUNK, exception: false)).is_a?(String)
        bytes.nil?
      rescue SystemCallError, IOError, OpenSSL::SSL::SSLError
        true
      end
    end
    private_constant :UnfinishedCancels
  end
end
