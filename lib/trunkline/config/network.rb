# frozen_string_literal: true

module Trunkline
  class Config
    # Options that select a host, and that keep connections alive.
    module Network
      # @return [String] any, read-write, read-only, primary, standby or prefer-standby
      def target_session_attrs = @values["target_session_attrs"]

      # @return [String] disable: in the given order; random: in another order for every connection
      def load_balance_hosts = @values["load_balance_hosts"]

      # @return [Float, nil] seconds for connecting to one host, including the lookup of its name; nil, if 0 is given: no limit
      def connect_timeout = @values["connect_timeout"]

      # @return [String, nil] the operating system user that must own the server of a Unix socket
      def requirepeer = @values["requirepeer"]

      # @return [Boolean] whether silent TCP connections are probed
      def keepalives = @values["keepalives"]

      # @return [Integer, nil] seconds of silence before the first probe; nil: 30
      def keepalives_idle = @values["keepalives_idle"]

      # @return [Integer, nil] seconds between probes; nil: 10
      def keepalives_interval = @values["keepalives_interval"]

      # @return [Integer, nil] how many probes may remain unanswered; nil: 3
      def keepalives_count = @values["keepalives_count"]

      # @return [Integer, nil] milliseconds that sent bytes may remain unacknowledged; nil: 60,000, if silence is probed
      def tcp_user_timeout = @values["tcp_user_timeout"]
    end

    private_constant :Network
  end
end
