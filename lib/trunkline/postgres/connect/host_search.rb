# frozen_string_literal: true

require_relative "../../config"
require_relative "../../socket/resumable"
require_relative "../../socket/tcp"
require_relative "connection_attempt"
require_relative "names/name_watch"

module Trunkline
  module Postgres
    # Searches for a host that can be connected to and is of the required kind. Hosts are tried in order; if one is silent for a while, the next
    # attempt begins beside it, and the first connection wins (in the manner of RFC 8305). One caller waits for all sockets, without a thread. If a
    # name resolves to another server meanwhile, an attempt at that one begins beside the former one. A caller whose deadline passes leaves the search
    # unfinished, and the thread's next caller continues it.
    class HostSearch # :nodoc:
      # Seconds of silence of one host after which the next attempt begins beside it: the delay that RFC 8305 recommends.
      SILENCE = 0.25
      # The same, if the next host is one that is tried last for now: a write that was refused there would be refused again. At a load of 20 on two
      # processors, logins to a pooler took longer than 0.25 s, and a writer received 25006.
      LONG_SILENCE = Socket::TCP::ANSWER
      # Seconds for which a search is worth continuing if attempts have no timeout: a server waits as long for a login, by authentication_timeout's default.
      KEPT_FOR = 60.0
      private_constant :SILENCE, :LONG_SILENCE, :KEPT_FOR

      # host:: [Config::Host]
      # resumable:: [Socket::Resumable]
      # progress_at:: [Float] when it began, or was resumed last
      # name:: [NameWatch::Attempt, nil]
      # before:: [Float] seconds of silence of that host in searches that could not be continued
      Running = Struct.new(:host, :resumable, :progress_at, :name, :before) do
        def silent_since = progress_at - before
      end
      private_constant :Running

      # @param config [Config]
      # @param memory [HostMemory]
      # @param cluster [ClusterTimeline, nil] that the servers must belong to
      # @param promotions [PromotionWatch, nil] takes over the sessions of standbys if a primary is searched
      # @param survey [SessionSurvey, nil] of new sessions
      # @param names [NameWatch] of the hosts
      def initialize(config, memory, cluster = nil, promotions = nil, survey = nil, names = NameWatch.new)
        @config = config
        @memory = memory
        @cluster = cluster
        @promotions = promotions
        @survey = survey
        @names = names
        @generation = Trunkline.process_generation
        @thread = Thread.current
        @begun_at = Waiting.now
        @expires_at = @begun_at + (config.connect_timeout || KEPT_FOR)
        @wanted = wanted
        @candidates = promotions ? promotions.promoted_first(memory.order) : memory.order
        @running = []
        @failures = {}
        @left_at = nil
      end

      # @return [Float] on the clock of Waiting.now
      attr_reader :begun_at

      # @return [Boolean] whether the calling thread may continue it
      def continuable? = @thread.equal?(Thread.current) && !stale?

      # @return [Boolean] whether no caller should continue it any more
      def stale? = @generation != Trunkline.process_generation || !@thread.alive? || Waiting.now >= @expires_at

      # @return [String] the hosts that it waits for, for messages
      def state = "#{@running.map { |attempt| attempt.host.server }.join(" and ")} has not answered yet"

      # Runs until there is a connection.
      #
      # @param deadline [Float, nil] the caller's, on the clock of {Socket::Readiness.now}
      # @return [Connection, nil] nil: the deadline has passed, and the search may be continued
      # @raise [Error] see {Connector.connect}
      def run(deadline)
        found = nil
        until (found = outcome) || (deadline && Waiting.now >= deadline)
          resume(wait(deadline))
        end
        @left_at = Waiting.now unless found
        through = true
        found
      ensure
        abandon unless through
      end

      # Closes its attempts: no caller can continue it. How long the hosts were silent counts for later searches. Otherwise callers in threads of their
      # own, whose deadlines are shorter than the silence after which another host is tried, would never reach another host.
      #
      # @return [void]
      def abandon_unanswered
        @running.each { |attempt| @memory.unanswered(attempt.host, attempt.progress_at, @left_at) } if @left_at && @generation == Trunkline.process_generation
        abandon
      end

      # Closes its attempts.
      #
      # @return [void]
      def abandon
        @running.each do |attempt|
          attempt.name&.abandon
          attempt.resumable.value ? attempt.resumable.value.io.close : attempt.resumable.abandon
        end.clear
      end

      private

      # @return [Array<Running>, nil] nil: there is no other host
      def begin_next = next_host&.then { |host| begin_at(host) }

      def begin_at(host)
        name = @names.attempt(host)
        attempt = ConnectionAttempt.new(@config, host, @wanted.first, others: @config.others?, cluster: @cluster, promotions: @promotions, survey: @survey, name: name)
        @running << Running.new(host, Socket::Resumable.new { attempt.connect }, Waiting.now, name, @memory.unanswered_for(host))
        resume([@running.last])
      end

      # Where any server will do, another standby would refuse the write that one has just refused.
      def wanted
        kind = @config.target_session_attrs
        return %w[standby any] if kind == "prefer-standby"

        kind == "any" && @config.others? && @memory.prefers_writable? ? %w[read-write any] : [kind]
      end

      # If there is no server of the preferred kind, a server of another kind that answered will do.
      def next_host
        if @candidates.empty? && @wanted.size > 1
          @wanted.shift
          @candidates = unsuitable
        end
        @candidates.shift
      end

      def unsuitable = @failures.select { |_, error| error.is_a?(UnsuitableServer) }.keys

      def any_other? = @candidates.any? || (@wanted.size > 1 && unsuitable.any?)

      # @return [Array<Running>] those that can be resumed
      def wait(deadline)
        waits = @running.flat_map { |attempt| [attempt.resumable, *attempt.name].map(&:wait) }
        ready = Socket::Readiness.wait_for_any(waits, [deadline, silent_at].compact.min)
        over = ->(waiting) { ready.any? { |wait| wait.equal?(waiting.wait) } }
        @running.select { |attempt| over.call(attempt.resumable) }.tap { follow(@running.select { |attempt| attempt.name && over.call(attempt.name) }) }
      end

      # Begins another attempt if the name resolves to another address now.
      def follow(attempts)
        attempts.select { |attempt| attempt.name.resume }.each do |attempt|
          @names.failed(attempt.name)
          attempt.name = nil
          begin_at(attempt.host)
        end
      end

      # When the next attempt begins because the last one is silent.
      def silent_at = (@running.last.silent_since + silence_limit if any_other?)

      def silence_limit = @candidates.any? && @memory.last?(@candidates.first) ? LONG_SILENCE : SILENCE

      def resume(attempts)
        attempts.each do |attempt|
          attempt.progress_at = Waiting.now
          attempt.resumable.resume
        end
      end

      # @return [Connection, nil] nil: the search continues
      def outcome
        loop do
          ended = @running.select { |attempt| attempt.resumable.over? }
          found = ended.find { |attempt| attempt.resumable.value }
          return take_connection(found) if found

          @running -= ended
          ended.each { |attempt| note_failure(attempt) }
          begin_next_if_silent
          begin_next or raise failure if @running.empty?
          return if @running.none? { |attempt| attempt.resumable.over? }
        end
      end

      def take_connection(found)
        @running.delete(found)
        found.name&.abandon
        abandon
        connection = found.resumable.value
        @names.succeeded(found.name, (address_of(connection) if found.name))
        connection
      end

      def address_of(connection)
        NameLookup.address_and_port(connection.io.to_io.remote_address)
      rescue SystemCallError # it has ended
        nil
      end

      # An error that would recur on any host ends the search: a refused password, a missing database.
      def note_failure(attempt)
        error = attempt.resumable.error
        @names.failed(attempt.name)
        raise error unless error.is_a?(Error) && error.retriable?

        @failures[attempt.host] = error
        @memory.failed(attempt.host, error)
      end

      def begin_next_if_silent
        return if @running.empty? || !any_other? || Waiting.now < silent_at

        @memory.silent(@running.last.host)
        begin_next
      end

      def failure
        reasons = @failures.values
        return reasons.first if reasons.size == 1

        message = "none of the #{reasons.size} hosts could be connected to: #{reasons.map(&:message).join("; ")}"
        ConnectionError.new(message, reasons: reasons, server: @config.server)
      end
    end
    private_constant :HostSearch
  end
end
