# frozen_string_literal: true

module Trunkline
  class Config
    # Which of the hosts is wanted, and how connections to them are kept.
    module Network
      # @return [String] any, read-write, read-only, primary, standby or prefer-standby
      attr_reader :target_session_attrs

      # @return [String] disable: in the given order; random: in another order for every connection
      attr_reader :load_balance_hosts

      # @return [Float, nil] seconds for connecting to one host, looking up its name included; nil, where 0 is given, waits without end
      attr_reader :connect_timeout

      # @return [String, nil] the operating system's user that the server at a Unix socket must belong to
      attr_reader :requirepeer

      # @return [Boolean] whether silent TCP connections are probed
      attr_reader :keepalives

      # @return [Integer, nil] seconds of silence before the first probe; nil: 30
      attr_reader :keepalives_idle

      # @return [Integer, nil] seconds between probes; nil: 10
      attr_reader :keepalives_interval

      # @return [Integer, nil] how many probes may stay without an answer; nil: 3
      attr_reader :keepalives_count

      # @return [Integer, nil] milliseconds that sent bytes may stay without an acknowledgement; nil: 60,000,
      #   while silence is probed
      attr_reader :tcp_user_timeout
    end

    private_constant :Network
  end
end
