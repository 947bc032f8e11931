# frozen_string_literal: true

require "async"
require "timeout"
require "trunkline"
require_relative "dropped_loop"
require_relative "given_up_calls"
require_relative "reference_path"

class GivenUpCallers
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
      Trunkline.postgres(@uri, connections: @connections, max_connections: @most, max_wait: PATIENCE, application_name: @name, group_commit: @random.rand(2).zero?) do |db|
        @db = db
        @calls = Calls.new(db, @most)
        db.value("SELECT 1") if @random.rand(4).positive?
        hosts = Array.new(1 + @random.rand(4)) { host(@hosts.sample(random: @random)) }
        disturb(now + LASTS)
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

    # In two of three rounds sessions are ended by the server, or the process forks.
    def disturb(finish)
      disturbances = @random.rand(3).zero? ? [] : Array.new(1 + @random.rand(3)) { @random.rand(2).zero? ? :end_a_session : :fork_a_child }
      disturbances.each do |kind|
        sleep @random.rand * LASTS / disturbances.size
        send(kind)
      end
      sleep [finish - now, 0].max
    end

    def end_a_session
      Trunkline.postgres(@uri, connections: 1, max_connections: 1) do |db|
        db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 ORDER BY random() LIMIT 1", @name)
      end
    end

    # The child has connections of its own.
    def fork_a_child
      pid = fork do
        exit!(@db.value("SELECT 2") == 2 && @db.transaction { |transaction| transaction.value("SELECT 3") } == 3)
      rescue Exception => error
        warn error.full_message(highlight: false)
      ensure
        exit!(false)
      end
      ended = eventually(PATIENCE) { Process.wait2(pid, Process::WNOHANG) }
      Process.kill(:KILL, pid) && Process.wait(pid) unless ended
      count(:forked_wrong, "#{@name}: #{ended ? ended.last : "the child hung"}") unless ended&.last&.success?
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

    # Each begins a transaction, and is resumed within it, or dropped there. There is one at a time, as each keeps a connection.
    def plain_fibers(random)
      finish = now + LASTS
      while now < finish
        fiber = plain_fiber(random.rand(1 << 30))
        token = fiber.resume
        sleep random.rand * 0.02
        ask_outside(token, random) if @most > 1 && token.is_a?(String)
        fiber.resume if fiber.alive? && random.rand(3).positive?
      end
    end

    def plain_fiber(seed)
      Fiber.new do
        attempt(Random.new(seed)) { |token, random| suspended(token, random) }
        nil
      end
    end

    def suspended(token, random)
      mine = -> { @db.value("SELECT current_setting('given_up.token', true)") }
      @db.transaction do |transaction|
        transaction.query("SELECT set_config('given_up.token', $1, true)", token)
        Fiber.yield(token)
        random.rand(2).zero? ? mine.call : Enumerator.new { |yielder| yielder << mine.call }.next
      end
    end

    def ask_outside(token, random)
      attempt(random) { |own,| @db.value("SELECT current_setting('given_up.token', true)") == token ? "of a fiber's transaction" : own }
    end

    def thread_ends(random) = drop(random)
    def thread_lives(random) = drop(random) && live_on

    def thread_asks(random)
      drop(random)
      ask(random, DROPPED_SLOW)
      live_on
    end

    # The thread runs other code, then waits.
    def live_on
      run_other_code
      @finish.pop
    end

    # Overwrites the stack of a thread that is about to wait. Words that earlier calls have left there, or a thread that had the same memory, could keep
    # what these have dropped, as the collector takes each word of a stack for a reference: without this, 24 of 600 objects on Ruby 3.1, and with it none.
    def run_other_code(depth = 1000) = [depth].each { |left| run_other_code(left - 1) if left.positive? }

    def drop(random)
      misused = DroppedLoop.run(random.rand * LASTS) do
        CALLERS.times { Fiber.schedule { ask_on(Random.new(random.rand(1 << 30)), DROPPED_SLOW, Float::INFINITY) } }
      end
      misused.uniq.each { |misuse| count(:misused, misuse) }
    end

    def ask_on(random, slow, finish)
      ask(random, slow) while now < finish
    end

    def ask(random, slow) = attempt(random, slow) { |*arguments| @calls.any(*arguments) }

    # @yield as the methods of Calls take it
    # @yieldreturn [String] the token
    def attempt(random, slow = DROPPED_SLOW)
      token = "#{@asked += 1} #{random.rand(1 << 30)}"
      answer = Thread.handle_interrupt(Interrupt => :immediate) { yield token, random, slow }
      answer == token ? count(:right) : count(:wrong, "#{answer.inspect} instead of #{token.inspect}")
    rescue Interrupt
      count(:interrupted)
    rescue Trunkline::Error => error
      count(error.class.name.to_sym)
    rescue StandardError => error
      count(:unexpected, error.full_message(highlight: false))
    end

    def look_afterwards
      write_afterwards
      have_all_connections
      count(:slow, @name) unless Array.new(5) { short_query }.min <= SOON
      kept(figures) unless free? || (have_all_connections && free?)
      count(:busy, "#{@name}: #{active.join("; ")}") unless eventually(CANCELLED) { active.empty? }
    rescue Trunkline::Error => error
      kept(error.message)
    end

    # A fault, if the client refers to a caller that was dropped, or keeps a connection whose user is gone. Otherwise only a word on a stack refers to the
    # caller.
    def kept(details)
      path = ReferencePath.new(@db) { |object| DroppedLoop === object || Trunkline::Postgres::Subscription === object }.find
      gone = @db.instance_variable_get(:@pool).pinned.count { |trunk| trunk.user && !trunk.user.alive? }
      path || gone.positive? ? count(:kept, "#{@name}: #{details}; #{path}; #{gone} users are gone") : count(:kept_by_a_stack)
    end

    # On each of the connections for writes.
    def write_afterwards
      callers = Array.new(@connections) { Thread.new { run_other_code && Sync { attempt(Random.new(0)) { |token, *| @calls.writes(token) } } } }
      callers.each { |thread| thread.join(PATIENCE) || hung(thread) }
    end

    # The connection of a subscription that was dropped by a caller that came late is kept until others need it.
    def free? = eventually { figures.values.sum.zero? }

    # Each of its callers leases a connection, all at once; and one is left to share.
    def have_all_connections
      own = [@most - 1, 1].max
      arrived = Thread::Queue.new
      go_on = Thread::Queue.new
      callers = Array.new(own) { Thread.new { run_other_code && @db.transaction { |transaction| (arrived << transaction.value("SELECT 1")) && go_on.pop } } }
      callers.each { |thread| thread.report_on_exception = false }
      have_all = eventually(PATIENCE) { arrived.size == own }
      kept("#{arrived.size} of #{own} connections, #{figures}") unless have_all
      short_query if have_all && @most > 1
      go_on.close
      callers.each { |thread| thread.join(PATIENCE) || hung(thread) }
    end

    def short_query
      start = now
      @db.value("SELECT 1")
      now - start
    end

    def figures = @db.stats.then { |stats| { **stats.slice(:in_flight, :pinned, :opening), **stats[:queue].slice(:to_share, :to_pin) } }

    def active
      Trunkline.postgres(@uri, connections: 1, max_connections: 1) do |db|
        db.query("SELECT format('%s, %s: %s', state, wait_event, query) AS what FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'", @name).map { |row| row["what"] }
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
