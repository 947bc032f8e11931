# frozen_string_literal: true

require_relative "../../trunk/lock"
require_relative "../../trunk/waiting"
require_relative "cancel"

module Trunkline
  module Postgres
    # Connections that have sent a CancelRequest and that the server has not closed yet. They stay open for a while: PgBouncer before 1.19 exits if
    # one is closed before it has forwarded the request. When another is added, finished ones are closed.
    class UnfinishedCancels # :nodoc:
      # Seconds. A request that was not forwarded by then will not be: PgBouncer's cancel_wait_timeout is 10 s by default.
      LONGEST = 60
      # Connections, a bound on descriptors; the oldest is closed to make room for one more.
      MOST = 64
      # Seconds that {#close} waits for them in all, a bound: a pooler that has a connection for a CancelRequest forwards it within milliseconds.
      LAST = 0.5
      private_constant :LONGEST, :MOST, :LAST

      def initialize
        @lock = Lock.new
        @open = {}.compare_by_identity # IO => latest time to close it
      end

      # @return [Integer]
      def size = @open.size

      # @param connection [Connection]
      # @return [Proc, nil] for Trunk.new; nil: the server has not sent a secret key
      def canceller(connection)
        endpoint, pid, key = connection.endpoint, connection.backend_pid, connection.secret_key
        pid && key && ->(by, &dealt_with) { Cancel.deliver(endpoint, pid, key, deadline: by, unfinished: self, &dealt_with) }
      end

      # @param io [::Socket, OpenSSL::SSL::SSLSocket] non-blocking
      def add(io)
        close_where { |other, by| Waiting.now >= by || ended?(other, 0.0) }
        @lock.synchronize { @open[io] = Waiting.now + LONGEST }
        close_where { |other,| @open.size > MOST && other.equal?(@open.first.first) }
      end

      # Closes them all. The server has a moment to process what it has not processed yet.
      #
      # @param last [Float] seconds
      def close(last: LAST)
        by = Waiting.now + last
        @open.keys.each { |io| ended?(io, by) }
      ensure
        close_where { true }
      end

      private

      # @param by [Float] until when to wait, on the clock of Waiting.now
      # @return [Boolean] whether the server has closed it
      def ended?(io, by)
        Cancel.wait_for_end(io, by)
      rescue Error, IOError # another caller may close it meanwhile
        true
      end

      def close_where(&block)
        closing = @lock.synchronize { @open.select(&block).keys.each { |io| @open.delete(io) } }
        closing.each(&:close)
      end
    end
    private_constant :UnfinishedCancels
  end
end
