# frozen_string_literal: true

require "rbconfig"
require "socket"

module Trunkline
  module Socket
    # How a TCP connection detects that the other end is gone, if packets are just lost. Systems take hours for that by default, so nil has a default
    # here: it takes a minute, whether an answer is due or not, however long the server executes a statement. Options that the system does not have
    # are omitted. macOS has another name for TCP_KEEPIDLE.
    class Keepalive
      # Seconds, seconds, probes, milliseconds.
      DEFAULTS = { TCP_KEEPIDLE: 30, TCP_KEEPINTVL: 10, TCP_KEEPCNT: 3, TCP_USER_TIMEOUT: 60_000 }.freeze
      MACOS_TCP_KEEPALIVE = 0x10 # netinet/tcp.h; Ruby has no constant for it
      private_constant :DEFAULTS, :MACOS_TCP_KEEPALIVE

      # @return [Hash{Symbol => Integer}] numbers of the options that the system has
      # @param constants [Module] with the system's names
      # @param host_os [String] from RbConfig
      def self.numbers(constants = ::Socket, host_os = RbConfig::CONFIG["host_os"])
        found = DEFAULTS.keys.select { |name| constants.const_defined?(name) }.to_h { |name| [name, constants.const_get(name)] }
        host_os.start_with?("darwin") ? { TCP_KEEPIDLE: MACOS_TCP_KEEPALIVE, **found } : found
      end

      NUMBERS = numbers.freeze
      private_constant :NUMBERS

      # @param on [Boolean] whether silence is probed at all
      # @param idle [Integer, nil] seconds of silence before the first probe
      # @param interval [Integer, nil] seconds between probes
      # @param count [Integer, nil] how many probes may remain unanswered
      # @param user_timeout [Integer, nil] milliseconds that sent bytes may remain unacknowledged
      def initialize(on: true, idle: nil, interval: nil, count: nil, user_timeout: nil)
        @on = on
        given = { TCP_KEEPIDLE: idle, TCP_KEEPINTVL: interval, TCP_KEEPCNT: count, TCP_USER_TIMEOUT: user_timeout }.compact
        options = on ? DEFAULTS.merge(given) : given.slice(:TCP_USER_TIMEOUT)
        @options = options.slice(*NUMBERS.keys).freeze
        freeze
      end

      # @param socket [::Socket]
      # @raise [SystemCallError]
      def apply(socket)
        socket.setsockopt(:SOCKET, :KEEPALIVE, true) if @on
        @options.each { |name, value| socket.setsockopt(::Socket::IPPROTO_TCP, NUMBERS.fetch(name), value) }
      end
    end
  end
end
