# frozen_string_literal: true

module Sequel
  module Trunkline
    # LISTEN, on a reserved connection.
    module Listening
      # Waits for a notification.
      #
      # @param channels [String, Symbol, Array<String, Symbol>]
      # @param opts [Hash]
      #   after_listen: called with the connection as soon as it listens
      #   timeout: seconds, or a callable that returns them each time
      #   loop: true, or a callable that is called with the connection after each notification or timeout: continues until the block
      #   is left, or throws :stop
      #   server: one of the Database's
      # @yieldparam channel [String]
      # @yieldparam pid [Integer] process ID of the sender's backend
      # @yieldparam payload [String]
      # @return [String, nil] the channel; nil: none arrived in time, or it was a loop
      # @raise [Sequel::Error] a loop without a block
      def listen(channels, opts = OPTS, &block)
        raise Error, "calling #listen with :loop requires a block" if opts[:loop] && !block

        check_database_errors do
          synchronize(opts[:server]) do |conn|
            listening(conn, Array(channels)) do
              opts[:after_listen]&.call(conn)
              opts[:loop] ? catch(:stop) { listen_on(conn, opts, &block) } : listen_once(conn, opts[:timeout], &block)
            end
          end
        end
      end

      private

      # Later notifications are dropped.
      def listening(conn, channels)
        channels.each { |channel| conn.execute("LISTEN #{dataset.quote_identifier(channel)}") }
        yield
      ensure
        conn.stop_listening
      end

      def listen_on(conn, opts, &block)
        loop do
          listen_once(conn, opts[:timeout], &block)
          opts[:loop].call(conn) if opts[:loop].respond_to?(:call)
        end
        nil
      end

      def listen_once(conn, timeout)
        timeout = timeout.call if timeout.respond_to?(:call)
        notification = conn.wait_for_notification(timeout) or return
        yield notification.channel, notification.pid, notification.payload if block_given?
        notification.channel
      end
    end
  end
end
