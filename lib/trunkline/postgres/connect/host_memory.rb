# frozen_string_literal: true

require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # What a client remembers of its hosts between two attempts to connect: with which one it worked last, and which ones have said nothing.
    # Threads may use it side by side: each change is one assignment.
    class HostMemory # :nodoc:
      # Seconds for which a host that was silent is tried after the others. One that has come back is used again within 10 s then.
      SILENT_FOR = 5.0
      private_constant :SILENT_FOR

      # @param config [Config]
      # @param random [Random] for load_balance_hosts
      def initialize(config, random)
        @config = config
        @random = random
        @last_good = nil
        @silent_until = {}.freeze
      end

      # @return [Array<Config::Host>] all of them: the one that worked last is first, unless the order is random, and silent ones are last
      def order
        hosts = @config.load_balance_hosts == "random" ? @config.hosts.shuffle(random: @random) : @config.hosts
        hosts.each_with_index.sort_by { |host, index| [silent?(host) ? 1 : 0, preferred?(host) ? 0 : 1, index] }.map(&:first)
      end

      # A connection to the host was opened.
      def good(host)
        @last_good = host
        @silent_until = @silent_until.except(host).freeze if @silent_until.key?(host)
      end

      # The host had time to answer, and has said nothing.
      def silent(host) = @silent_until = { **@silent_until, host => Waiting.now + SILENT_FOR }.freeze

      # The host of that label did not do what was asked for: it is tried last for a while.
      def avoid(server) = @config.hosts.each { |host| silent(host) if host.server == server }

      private

      def preferred?(host) = host.equal?(@last_good) && @config.load_balance_hosts != "random"

      def silent?(host) = (time = @silent_until[host]) && Waiting.now < time
    end
    private_constant :HostMemory
  end
end
