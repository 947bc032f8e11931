# frozen_string_literal: true

module Trunkline
  module Memcached
    # Commands for the servers as a whole.
    module Administration
      STATISTICS = %i[items slabs settings].freeze
      private_constant :STATISTICS

      # Deletes every value on every server, of every namespace.
      #
      # @param delay [Numeric] seconds until then
      # @return [Array<true>]
      # @raise [ArgumentError] the delay is not a number from 0
      # @raise [Error] the first failure; the other servers are emptied. One that cannot be reached is emptied by this client as soon as it answers
      #   again, if there is no delay
      def flush_all(delay = 0)
        raise ArgumentError, "flush_all takes a number of seconds from 0, not #{Argument.shown(delay)}" unless Argument.is?(delay, Numeric) && delay.real? && delay >= 0 && delay.to_f.finite?

        @cluster.flush_all(delay.to_i)
      end
      alias flush flush_all

      # Closes the connections: those in use when their callers have their answers. The next call opens others. To end a client, call {Client#close}.
      #
      # @return [nil]
      def reset
        @cluster.servers.each(&:renew)
        nil
      end

      # Checks whether any server answers.
      #
      # @return [true] one of them answers
      # @raise [ConnectionError, NotSent, Indeterminate, Deadline] none does
      def alive!
        failure = nil
        @cluster.servers.each do |server|
          @cluster.perform_on(server, Request.line("version", "VERSION "))
          return true
        rescue *Cluster::FAILURES => failure
          next
        end
        raise failure
      end

      # @return [Hash{String => String, nil}] by the server's name; nil: it cannot be reached
      def version = each_server { |server| @cluster.perform_on(server, Request.line("version", "VERSION ")).answer.delete_prefix("VERSION ") }

      # @param kind [Symbol, nil] :items, :slabs or :settings; nil: general statistics
      # @return [Hash{String => Hash{String => String}, nil}] by the server's name; nil: it cannot be reached
      # @raise [ArgumentError]
      def stats(kind = nil)
        unless nil == kind || STATISTICS.include?(kind)
          raise ArgumentError, "there are statistics of #{STATISTICS.join(", ")}, and in general: not of #{Argument.shown(kind)}"
        end

        each_server { |server| @cluster.perform_on(server, Request.statistics(["stats", kind].compact.join(" "))).answer || {} }
      end

      # Resets the counters among the statistics.
      #
      # @return [Hash{String => true, nil}] by the server's name; nil: it cannot be reached
      def reset_stats = each_server { |server| @cluster.perform_on(server, Request.line("stats reset", "RESET")) && true }

      # Statistics of this client, whereas {#stats} returns those of the servers.
      #
      # @return [Hash{String => Hash{Symbol => Object}}] by the server's name; see {Postgres::Client#stats}
      def client_stats = @cluster.servers.to_h { |server| [server.name, server.stats] }

      private

      def each_server
        @cluster.servers.to_h do |server|
          [server.name, yield(server)]
        rescue *Cluster::FAILURES
          [server.name, nil]
        end
      end
    end
  end
end
