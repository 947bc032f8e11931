# frozen_string_literal: true

require_relative "../../socket/deadline_io"
require_relative "../../trunk/lock"
require_relative "../../trunk/waiting"
require_relative "startup"

module Trunkline
  module Postgres
    # Standbys that were found in a search for a primary, while callers wait for the next primary. Their sessions are kept and polled between two
    # searches for whether they are still in recovery: a query over an open session costs a standby some 50 us, and a login thirty times that. So
    # callers continue within a tenth of a second of a promotion, and many of them do not load the standby.
    class PromotionWatch # :nodoc:
      # Seconds between two polls. With 0.1, 20 callers of each of six clients had their answers 104 ms after the standby accepted writes (median), 95
      # % of them within 137 ms, the last after 142 ms. With pauses of up to 2 s alone it took 0.65 to 1.3 s.
      PAUSE = 0.1
      # Seconds within which a standby answers, a bound, not tuned: one that does not is polled again, so that is no loss. It keeps a caller that polls a frozen standby from
      # another one that was promoted.
      ANSWER = 0.25
      # Seconds between two searches while standbys are polled: another host may have become the primary, or a name may resolve to one, and callers
      # continue within a second of that, which is the bound. At random, so that clients that have lost the same server do not reconnect at the same moment.
      NEXT_SEARCH = 0.4..0.8
      SQL = "SELECT pg_catalog.pg_is_in_recovery()"
      private_constant :ANSWER, :NEXT_SEARCH, :SQL

      Kept = Struct.new(:io, :generation, :query)
      private_constant :Kept

      def initialize
        @lock = Lock.new
        @kept = {}
        @failure = @promoted = nil
        @search_at = -Float::INFINITY
      end

      # Takes over the session of a standby.
      #
      # @param host [Config::Host]
      # @param io [::Socket, OpenSSL::SSL::SSLSocket] nothing is in flight on it
      # @return [Boolean] false: it is not wanted, and stays the caller's
      def keep(host, io)
        @lock.synchronize do
          next false if @kept.key?(host)

          @kept[host] = Kept.new(io, Trunkline.process_generation)
          true
        end
      end

      # @return [Boolean] whether it is time to search all hosts again; else the caller may poll the standbys
      def search_due? = @kept.empty? || Waiting.now >= @search_at

      # Polls the standbys. Meanwhile this caller has the sessions: another caller that comes searches the hosts.
      #
      # A session that was closed is not polled any more; the next search finds out why.
      #
      # @return [Boolean] whether one is not a standby any more, or the last session was closed: it is time to search the hosts
      def changed?
        checked = take
        deadline = Waiting.now + ANSWER
        checked.each_value { |kept| check(kept, deadline) }
        others = checked.to_h { |host, kept| [host, answer(kept, deadline)] }.reject { |_, answer| answer == :standby }
        others.each_key { |host| close(checked.delete(host)) }
        @promoted = others.key(:primary)
        others.value?(:primary) || (checked.empty? && others.any?)
      ensure
        checked.each { |host, kept| put_back(host, kept) }
      end

      # @param hosts [Array<Config::Host>] in the order of a search
      # @return [Array<Config::Host>] the same, with the one that was promoted first: callers then wait for only one login
      def promoted_first(hosts) = hosts.partition { |host| host.equal?(@promoted) }.flatten(1)

      # A search has failed.
      #
      # @param error [ConnectionError]
      # @return [ConnectionError] the same, with the time of the next poll, if a standby is kept
      def failed(error)
        @promoted = nil
        return error if @kept.empty? || !error.retriable?

        @search_at = Waiting.now + rand(NEXT_SEARCH)
        @failure = error.tap { error.retry_after = PAUSE }
      end

      # @return [ConnectionError] of the last search: there is no primary yet
      def failure = @failure.exception(@failure.message)

      # Closes the sessions: there is a primary, or the client is closed.
      #
      # @return [void]
      def release
        @promoted = nil
        take.each_value { |kept| close(kept) }
      end

      private

      def take = @lock.synchronize { @kept.tap { @kept = {} } }

      def put_back(host, kept)
        close(kept) unless @lock.synchronize { @kept[host] ||= kept }.equal?(kept)
      end

      # One that has not answered in time is not sent a second query.
      def check(kept, deadline)
        return if kept.query || kept.generation != Trunkline.process_generation

        kept.query = Startup::EarlyQuery.new("the query whether a standby was promoted", "")
        Socket::DeadlineIO.write(kept.io, Startup::EarlyQuery.message(SQL), deadline)
      rescue SystemCallError, ConnectionError
        nil # the read below finds out
      end

      # @return [Symbol] :standby (also if it has not answered yet), :primary or :closed
      def answer(kept, deadline)
        return :closed unless kept.query

        until kept.query.answered?
          bytes = Socket::DeadlineIO.read(kept.io, 8192, deadline)
          return :standby if bytes == false

          kept.query.receive(bytes || (return :closed))
        end
        { ["t"] => :standby, ["f"] => :primary }.fetch(kept.query.row, :closed).tap { kept.query = nil }
      rescue SystemCallError, ConnectionError, ProtocolError
        :closed
      end

      # Sends no Terminate: in a forked process it is the parent's session.
      def close(kept) = kept.io.to_io.close
    end
    private_constant :PromotionWatch
  end
end
