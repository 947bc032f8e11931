# frozen_string_literal: true

require_relative "../crowd"
require_relative "../gate_proxy"
require_relative "../living_objects"
require_relative "../watchdog"
require_relative "."
require_relative "faults"
require_relative "operations"
require_relative "environment"

class History
  # One run: callers in one of the environments, a proxy with troubles, a server with faults; then the comparison.
  #
  #   run = History::Run.new(server, environment: :async, seed: 42)
  #   run.call
  #   run.history.violations
  class Run
    # Average bytes between two troubles of a connection.
    TROUBLES = { split: 20_000, stall: 60_000, cut: 200_000 }.freeze
    # Average steps of callers between two faults.
    FAULTS = { terminate: 200, change_table: 150, idle_timeout: 400, fork: 700, restart: 1500 }.freeze
    # The first version of PostgreSQL with idle_session_timeout.
    SESSION_TIMEOUTS_SINCE = 14

    MOST_TOLD = 5
    private_constant :SESSION_TIMEOUTS_SINCE, :MOST_TOLD

    # @return [Hash{Symbol => Integer}] of the faults, those that this server knows
    attr_reader :gaps
    # @return [History]
    attr_reader :history
    # @return [Hash{Symbol => Integer}] how often each kind has happened
    attr_reader :counts

    # @param server [Trunkline::Bench::PostgresServer] that may be restarted
    # @param environment [Symbol] of {Environment::ALL}
    # @param seed [Integer]
    # @param answers [Integer] how many there must be in the end, at least
    # @param interruptions [Integer] how many there must be in the end, at least
    # @param troubles [Hash{Symbol => Integer}, nil] as {GateProxy::Troubles.from} takes them; nil: there is no proxy
    # @param tcp [Boolean] whether the proxy is reached over TCP, and not a Unix socket
    # @param narrow [Boolean] whether all sockets between the client and the server hold little
    # @param faults [Hash{Symbol => Integer}] as {Faults} takes them
    # @param kinds [Hash{Symbol => Integer}] as {Operations} takes them
    # @param limit [Numeric] seconds until it counts as hung: a run takes 5, and took 65 to 140 at a load of 27 on two processors. A caller that no
    #   leader would wake is found at once, by Watchdog
    # @yieldparam db [Trunkline::Postgres::Client]
    # @yieldreturn [Object] what the callers use instead of it
    def initialize(server, environment:, seed:, answers: 2000, interruptions: 100, troubles: TROUBLES, faults: FAULTS,
                   tcp: seed.odd?, narrow: false, kinds: Operations::WEIGHTS, limit: 600, &wrap)
      @server = server
      @wrap = wrap || :itself.to_proc
      @name = environment
      @environment = Environment.named(environment, limit)
      @seed = seed
      @wanted = { answers: answers, interruptions: interruptions }
      @troubles = troubles
      @proxied = { tcp: tcp, narrow: narrow }
      @gaps = server.version >= SESSION_TIMEOUTS_SINCE ? faults : faults.except(:idle_timeout)
      @kinds = kinds
      @prefix = "history_#{environment}_#{seed}"
      @interrupted = Thread::Queue.new
      @history = History.new
    end

    # @return [self]
    # @raise [Supervision::Hang]
    def call
      @server.psql("CREATE ROLE #{@prefix} LOGIN SUPERUSER; #{Operations.create(@prefix)}")
      narrowed { with_client { |db| run(db) } }
      @history.verify(*found)
      self
    ensure
      @server.psql("#{Operations.drop(@prefix)}; DROP ROLE IF EXISTS #{@prefix}")
    end

    # @return [String] what went wrong, and how to see it again; empty when nothing did
    def report
      return "" if @history.violations.empty?

      (@history.violations.first(MOST_TOLD).map(&:to_s) << "#{@history.violations.size} violations: #{self}").join("\n\n")
    end

    def to_s = "rake \"history:replay[#{@name},#{@seed}]\""

    private

    def narrowed(&block) = @proxied[:narrow] ? NarrowSockets.narrowed(&block) : yield

    def with_client(&block)
      through_proxy do |server|
        Trunkline.postgres(server.uri(user: @prefix), application_name: @prefix, **connections, &block)
      end
    end

    # The minimum, or more.
    def connections
      shared = 1 + (@seed % 4)
      { connections: shared, max_connections: shared + (@seed / 4 % 4) }
    end

    def through_proxy(&block)
      return block.call(@server) unless @troubles

      GateProxy.open(@server, **@proxied, troubles: GateProxy::Troubles.from(@seed, @troubles)) do |proxy|
        block.call(proxy)
      rescue Supervision::Hang => hang
        raise hang, "#{hang.message}\nThrough the proxy go\n#{proxy.report}"
      end
    end

    def run(db)
      @faults = Faults.new(@gaps, seed: @seed, server: @server, name: @prefix, db: db)
      operations = Operations.new(@wrap.call(db), @history, @prefix, kinds: @kinds, waits: waits)
      @environment.run(@seed, @interrupted, method(:enough?)) do |crowd, member|
        operations.act(crowd, member)
      ensure
        @faults.step
      end
      leaks.each { |leak| @history.violated(nil, leak) }
      @counts = { **@faults.finish, answers: @history.answers, interruptions: @interrupted.size }
    end

    # When all callers have ended, none is active on an open connection, nor ends a request there: with one that did not leave, it could not be reserved any more.
    #
    # @return [Array<String>]
    def leaks
      states = LivingObjects.of(Watchdog::TRUNK).filter_map { |trunk| trunk.state&.snapshot unless trunk.loss || trunk.inherited? }
      states.select { |state| state.values_at(:active, :endings).sum.positive? }.map { |state| "callers have ended and have not left: #{state}" }
    end

    # While a forked child lives, io-event's waits for other processes may end early: it has copies of all their descriptors.
    def waits = @gaps.key?(:fork) ? Interruptions::WAITS - [:process] : Interruptions::WAITS

    def enough?
      @history.answers >= @wanted[:answers] && @interrupted.size >= @wanted[:interruptions] && @faults.each_due?
    end

    # @return [Array(Array<Integer>, Hash{Integer => Array<Integer>})]
    def found
      rows = @server.psql("SELECT token FROM #{@prefix}_rows").split.map(&:to_i)
      lists = @server.psql("SELECT id, tokens FROM #{@prefix}_lists").lines.to_h do |line|
        line.scan(/\d+/).map(&:to_i).then { |id, *tokens| [id, tokens] }
      end
      [rows, lists]
    end
  end
end
