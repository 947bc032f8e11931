# frozen_string_literal: true

require "async"
require "timeout"
require "trunkline"
require_relative "dropped_loop"

# Callers that stop waiting: threads that are killed, interrupted and timed out, tasks of event loops that are stopped, fibers that are dropped with
# their loops, and deadlines that pass, wherever each of them waits. It runs in rounds, each with its own client. After each round no trace of them
# may be left: nothing is in flight, each connection can be leased, a short query is answered soon, and the server has nothing to do.
#
#   GivenUpCallers.new(uri, seed: 1).run(60) # => {rounds: 12, right: 4711, ...}
class GivenUpCallers
  Interrupt = Class.new(RuntimeError)
  Late = Class.new(Interrupt) # Timeout may raise it after its block has ended
  # Threads; tasks of an event loop; fibers of a dropped event loop whose thread ends, lives without using the client again, or uses it again.
  HOSTS = %i[threads tasks thread_ends thread_lives thread_asks].freeze
  WAYS = %i[value rows past_its_deadline slow transaction savepoint sleeping session future unasked batch stream large].freeze
  FAULTS = %i[wrong unexpected hung kept slow busy misused].freeze # faults of the client
  LASTS = 1.5 # seconds of a round in which callers send requests
  CALLERS = 5 # per host
  LANES = 3 # concurrent rounds, most of which wait
  PATIENCE = 60 # seconds until a caller counts as hung, and until all connections must be free: a dropped transaction keeps its own for 30
  SOON = 0.3 # seconds in which a short query is answered, also on a busy machine
  SLOW = 4 # seconds of a statement that is abandoned
  DROPPED_SLOW = 0.4 # of one that may be dropped, and that the server continues
  private_constant :Interrupt, :Late, :WAYS, :LASTS, :CALLERS, :LANES, :PATIENCE, :SOON, :SLOW, :DROPPED_SLOW

  # @param uri [String] of a PostgreSQL server
  # @param seed [Integer]
  # @param hosts [Array<Symbol>] of HOSTS, which callers have
  def initialize(uri, seed:, hosts: HOSTS)
    @uri, @seed, @hosts = uri, seed, hosts
    @outcomes = Thread::Queue.new # no Mutex: a fiber that is dropped while it waits for one leaves its stack in the Mutex
  end

  # @param seconds [Numeric] after which no round begins
  # @return [Hash{Symbol => Integer}] rounds; answers that were right, and wrong; errors that callers must expect, by class; and what should
  #   not be: wrong, unexpected, hung, kept, slow, busy, misused
  def run(seconds)
    finish = now + seconds
    lanes = Array.new(LANES) { |lane| Thread.new { (lane..).step(LANES) { |number| now < finish ? round(number) : break } } }
    lanes.each(&:join)
    @outcomes.close
    [].tap { |all| while (outcome = @outcomes.pop) do all << outcome end }.tally
  end

  # @param number [Integer] of the round
  def round(number)
    Round.new(@uri, @hosts, Random.new(@seed + number), "given up #{@seed + number}", method(:count)).call
    count(:rounds)
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def count(outcome, details = nil)
    @outcomes << outcome
    warn "#{outcome}: #{details}" if details
  end

  # One round: its client, its callers, and the check afterwards.
  class Round
    # @param uri [String]
    # @param hosts [Array<Symbol>]
    # @param random [Random]
    # @param name [String] of its connections
    # @param count [#call] gets an outcome, and details of one that should not be
    def initialize(uri, hosts, random, name, count)
      @uri, @hosts, @random, @name, @count = uri, hosts, random, name, count
      @connections = 1 + random.rand(3)
      @most = @connections + random.rand(4)
      @finish = Thread::Queue.new
      @asked = 0
    end

    def call
      Trunkline.postgres(@uri, connections: @connections, max_connections: @most, max_wait: PATIENCE, application_name: @name) do |db|
        @db = db
        db.value("SELECT 1") if @random.rand(4).positive?
        hosts = Array.new(1 + @random.rand(4)) { host(@hosts.sample(random: @random)) }
        sleep LASTS
        look_afterwards
        @finish.close
        hosts.each { |thread| hung(thread) unless thread.join(PATIENCE) }
      end
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def count(...) = @count.call(...)

    def hung(thread)
      count(:hung, "#{@name}\n#{thread.backtrace&.first(20)&.join("\n")}")
      thread.kill
    end

    def host(kind)
      random = Random.new(@random.rand(1 << 30))
      Thread.new { send(kind, random) }.tap { |thread| thread.report_on_exception = true }
    end

    def threads(random)
      finish = now + LASTS
      callers = Array.new(CALLERS) { caller_thread(random.rand(1 << 30), finish) }
      while now < finish
        sleep random.rand * 0.05
        at = random.rand(CALLERS)
        random.rand(2).zero? ? callers[at].raise(Interrupt) : callers[at] = caller_thread(random.rand(1 << 30), finish).tap { callers[at].kill }
      end
      callers.each(&:kill).each { |thread| hung(thread) unless thread.join(PATIENCE) }
    end

    def caller_thread(seed, finish)
      Thread.handle_interrupt(Interrupt => :never) { Thread.new { ask_on(Random.new(seed), SLOW, finish) } }
    end

    def tasks(random)
      finish = now + LASTS
      Sync do |task|
        callers = Array.new(CALLERS) { task.async { ask_on(Random.new(random.rand(1 << 30)), SLOW, finish) } }
        while now < finish
          sleep random.rand * 0.05
          at = random.rand(CALLERS)
          callers[at].stop
          callers[at] = task.async { ask_on(Random.new(random.rand(1 << 30)), SLOW, finish) }
        end
        callers.each(&:stop)
      end
    end

    def thread_ends(random) = drop(random)
    def thread_lives(random) = drop(random) && @finish.pop

    def thread_asks(random)
      drop(random)
      ask(random, DROPPED_SLOW)
      @finish.pop
    end

    def drop(random)
      misused = DroppedLoop.run(random.rand * LASTS) do
        CALLERS.times { Fiber.schedule { ask_on(Random.new(random.rand(1 << 30)), DROPPED_SLOW, Float::INFINITY) } }
      end
      misused.uniq.each { |misuse| count(:misused, misuse) }
    end

    def ask_on(random, slow, finish)
      ask(random, slow) while now < finish
    end

    def ask(random, slow)
      token = "#{@asked += 1} #{random.rand(1 << 30)}"
      answer = Thread.handle_interrupt(Interrupt => :immediate) { send(WAYS.sample(random: random), token, random, slow) }
      answer == token ? count(:right) : count(:wrong, "#{answer.inspect} instead of #{token.inspect}")
    rescue Interrupt
      count(:interrupted)
    rescue Trunkline::Error => error
      count(error.class.name.to_sym)
    rescue StandardError => error
      count(:unexpected, error.full_message(highlight: false))
    end

    def value(token, *) = @db.value("SELECT $1::text", token)
    def rows(token, *) = @db.query("SELECT $1::text AS a, $2::int[] AS b, now() AS c, 1.5::numeric AS d", token, [1, 2])[0]["a"]
    def past_its_deadline(token, random, slow) = @db.value("SELECT $1::text FROM pg_sleep($2)", token, slow, deadline: random.rand * 0.1)
    def slow(token, random, slow) = @db.value("SELECT $1::text FROM pg_sleep($2)", token, random.rand(3).zero? ? slow : 0.02)
    def future(token, *) = @db.async("SELECT $1::text", token).value.value
    def unasked(token, _, slow) = @db.async("SELECT pg_sleep($1)", slow / 10.0) && token
    def batch(token, *) = @db.batch { |batch| batch.query("SELECT 1") && batch.query("SELECT $1::text", token) }[1].value
    def stream(token, *) = @db.stream("SELECT $1::text AS token, n FROM generate_series(1, 5000) n", token).first(3).last["token"]
    def large(token, *) = @db.value("SELECT $1::text || $2::text", token, "x" * 300_000).delete_suffix("x" * 300_000)

    def transaction(token, *)
      @db.transaction do |transaction|
        transaction.query("SELECT 1")
        transaction.value("SELECT $1::text", token)
      end
    end

    def savepoint(token, random, slow)
      @db.transaction do |transaction|
        transaction.transaction { slow(token, random, slow / 4.0) }
        transaction.value("SELECT $1::text", token)
      end
    end

    # Nothing is in flight while it sleeps.
    def sleeping(token, random, _)
      @db.transaction do |transaction|
        sleep random.rand * 0.1
        transaction.value("SELECT $1::text", token)
      end
    end

    def session(token, *)
      @db.session do |session|
        session.query("SET work_mem = '7MB'")
        session.value("SELECT $1::text", token)
      end
    end

    def look_afterwards
      have_all_connections
      count(:slow, @name) unless Array.new(5) { short_query }.min <= SOON
      count(:kept, "#{@name}: #{figures}") unless eventually { figures.values.sum.zero? }
      count(:busy, @name) unless eventually { active.zero? }
    rescue Trunkline::Error => error
      count(:kept, "#{@name}: #{error.message}")
    end

    # Each of its callers leases a connection, all at once; and one is left to share.
    def have_all_connections
      own = [@most - 1, 1].max
      arrived = Thread::Queue.new
      go_on = Thread::Queue.new
      callers = Array.new(own) { Thread.new { @db.transaction { |transaction| (arrived << transaction.value("SELECT 1")) && go_on.pop } } }
      callers.each { |thread| thread.report_on_exception = false }
      have_all = eventually(PATIENCE) { arrived.size == own }
      count(:kept, "#{@name}: #{arrived.size} of #{own} connections, #{figures}") unless have_all
      short_query if have_all && @most > 1
      go_on.close
      callers.each { |thread| thread.join(PATIENCE) || hung(thread) }
    end

    def short_query
      start = now
      @db.value("SELECT 1")
      now - start
    end

    def figures = @db.stats.then { |stats| { **stats.slice(:in_flight, :pinned, :opening), **stats[:queue].slice(:length, :alone) } }

    def active
      Trunkline.postgres(@uri, connections: 1, max_connections: 1) do |db|
        db.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'", @name)
      end
    end

    def eventually(seconds = 2)
      finish = now + seconds
      sleep 0.01 until (done = yield) || now > finish
      done
    end
  end
  private_constant :Round
end
