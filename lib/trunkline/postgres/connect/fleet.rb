# frozen_string_literal: true

require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # Divides the server's connections among processes of the same application_name and role. The server's own list of sessions is the only record: a
    # process's first connection has the application's name, and all others that name with a plus. So each new connection counts the processes by the
    # sessions of that name, and a process that ends leaves nothing behind.
    class Fleet # :nodoc:
      # The result of a count: limit:: [Integer] connections of this process; full:: [Boolean] whether this one exceeds what all may have together;
      # first:: [Boolean] whether it is its process's first; count_after:: [Float] seconds after which the processes must be counted again
      Share = Struct.new(:limit, :full, :first, :count_after)
      # Suffix of the name of further connections; the server accepts 63 bytes.
      FURTHER = " +"
      LONGEST_NAME = 61 # bytes: those that leave room for it
      # The part of the server's connections that is divided: the rest, 10 of 97, is for first connections of new processes, and for others. In
      # bench/results/fleet.md ten more processes come to twenty, and no other program's connection is refused. It is a bound, not tuned.
      PART = 0.9
      # Seconds between two counts of the processes: as long as the share has been unchanged, within these bounds. The longer bound, with its random
      # part, is half of what a process may take to react to others that come and go. With 10 to 15 s from the start on, the process with the fewest
      # transactions had 0.47 of the median in the first 10 s of twenty that start together.
      COUNTED_AFTER = 1.0..10.0
      # Factor of that, at random, so that processes that start together do not all count, and replace a connection for it, at one moment. A bound, not
      # tuned: their counts are spread over half of the pause.
      RANDOM = 1.0..1.5
      private_constant :FURTHER, :LONGEST_NAME, :PART, :COUNTED_AFTER, :RANDOM

      # @param connections [Integer, true] for all processes; true: as many as the server accepts
      def initialize(connections)
        @connections = connections
        @first = @counting = @limit = nil
      end

      # @param session [Hash{String => String}] settings of a new session
      # @return [Hash{String => String}] the same, with the name of the next connection
      def named(session)
        @name = session.fetch("application_name", "").byteslice(0, LONGEST_NAME).scrub("")
        { **session, "application_name" => next_is_first? ? @name : "#{@name}#{FURTHER}" }
      end

      # One scan of the sessions, by the function alone: as subqueries of the view pg_stat_activity it took 672 KB of memory of the server's process,
      # and this takes 478 KB (PostgreSQL 15, max_connections of 100).
      #
      # @return [String] SQL, the end of a query: the number of connections allowed, open, of the application, and of processes
      def counts
        names = [@name, "#{@name}#{FURTHER}"].map { |name| "'#{name.gsub("'", "''")}'" }
        ours = "usesysid OPERATOR(pg_catalog.=) pg_catalog.to_regrole(pg_catalog.quote_ident(session_user))::pg_catalog.oid " \
               "AND application_name OPERATOR(pg_catalog.=)"
        <<~SQL
          LEAST(pg_catalog.current_setting('max_connections')::int
                  OPERATOR(pg_catalog.-) pg_catalog.current_setting('superuser_reserved_connections')::int
                  OPERATOR(pg_catalog.-) coalesce(pg_catalog.current_setting('reserved_connections', true)::int, 0),
                (SELECT nullif(rolconnlimit, -1) FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) session_user),
                (SELECT nullif(datconnlimit, -1) FROM pg_catalog.pg_database WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database())),
          pg_catalog.count(datid), pg_catalog.count(*) FILTER (WHERE #{ours} ANY (ARRAY[#{names.join(", ")}])), pg_catalog.count(*) FILTER (WHERE #{ours} #{names.first})
          FROM pg_catalog.pg_stat_get_activity(NULL)
        SQL
      end

      # @param values [Array<String>] of {#counts}
      # @return [Share]
      def share(values)
        most, open, ours, processes = values.map(&:to_i)
        all = @connections == true ? (most * PART).floor : @connections
        limit = [all / [processes, 1].max, 1].max
        Share.new(limit, (@connections == true ? open : ours) > all, next_is_first?, count_after(limit))
      end

      # @param trunk [Trunk] new, with its share
      # @param limits [Limits]
      # @return [void]
      def opened(trunk, limits)
        return @first = trunk if trunk.share.first
        return if alive?(@counting) && !@counting.state.expired?

        trunk.state.set_in_flight_limits(limits.max_in_flight, limits.max_bytes_in_flight, Waiting.now + trunk.share.count_after)
        @counting = trunk
      end

      private

      def count_after(limit)
        @limit, @same_since = limit, Waiting.now unless limit == @limit
        (Waiting.now - @same_since).clamp(COUNTED_AFTER) * rand(RANDOM)
      end

      def next_is_first? = !alive?(@first)

      def alive?(trunk) = !trunk.nil? && trunk.loss.nil? && !trunk.inherited?
    end
    private_constant :Fleet
  end
end
