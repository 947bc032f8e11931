# frozen_string_literal: true

require "timeout"
require "trunkline"

# Programs for fibers that share one client, under any scheduler. Each program returns the number of right answers, and raises for a wrong one. A
# gem's scheduler runs each in a separate process: see SchedulerTrials.
class SchedulerPrograms
  # Name -> method. A program that needs an optional hook is left out where the scheduler lacks it.
  ALL = { "values, streams, futures" => :queries, "transactions" => :transactions, "300 KB each way" => :large_values, "a query of 2.5 s" => :slow_query,
          "deadlines" => :deadlines, "Timeout" => :timeouts, "tasks at random" => :random, "no client: bytes at the end of a wait" => :bytes_at_the_end,
          "no client: a wait after one that has timed out" => :second_wait, "no client: wake-ups one after the other" => :chained, "no client: Timeout" => :plain_timeout }.freeze
  FIBERS = 12
  # Seconds, also on a busy machine.
  ANSWERED_WITHIN = 20
  CONNECTIONS = { connections: 2, max_connections: 6 }.freeze
  # Random actions of a fiber, with their relative frequencies.
  WEIGHTS = { value: 8, slow: 4, large: 2, transaction: 3, rolled_back: 2, stream: 2, left_stream: 2, futures: 2, session: 2, late: 3, stopped: 3, raced: 3, failing: 2 }.freeze
  TIMED = %i[stopped raced].freeze # by Timeout
  private_constant :FIBERS, :ANSWERED_WITHIN, :CONNECTIONS, :WEIGHTS, :TIMED

  # @param uri [String] of a PostgreSQL server
  # @param seed [Integer]
  # @param seconds [Numeric] how long fibers do things at random
  # @param client [#call, nil] makes another client than one for `uri`
  def initialize(uri, seed:, seconds: 5, client: nil)
    @seed, @seconds = seed, seconds
    @db = client ? client.call : Trunkline.postgres(uri, **CONNECTIONS, application_name: "scheduler #{Process.pid}")
  end

  # In a fiber of a scheduler.
  # @param name [String] a key of ALL
  # @return [Integer] right answers
  # @raise [RuntimeError] an answer was wrong, or the client is not as it was
  def run(name)
    right = send(ALL.fetch(name))
    same(1, @db.value("SELECT 1"))
    same(true, all_answered?)
    right
  ensure
    @db.close
  end

  private

  # Programs without a client, to find out which side is at fault: each waits in one of the ways that a client, a Queue or a Mutex does.

  # A wait that ends for two reasons must resume its fiber once.
  def bytes_at_the_end
    reader, writer = IO.pipe
    answered = Thread::Queue.new
    Fiber.schedule { answered << (readable?(reader, 0.02) ? 1 : 0) }
    Fiber.schedule do
      writer.write_nonblock("x")
      finish = now + 0.05
      nil while now < finish # the event loop cannot run
    end
    answered.pop && 1
  end

  def second_wait
    reader, writer = IO.pipe
    answered = Thread::Queue.new
    Fiber.schedule do
      same(false, readable?(reader, 0.05))
      answered << (readable?(reader, 5) && reader.read_nonblock(1))
    rescue StandardError => error
      answered << error.message
    end
    Fiber.schedule do
      sleep 0.15
      writer.write_nonblock("x")
    end
    same("x", answered.pop) && 1
  end

  # A short abandoned query may still be in flight, and ends once it is 0.2 s behind its estimate.
  def all_answered?
    by = now + ANSWERED_WITHIN
    sleep 0.01 until (answered = @db.stats[:in_flight].zero?) || now >= by
    answered
  end

  # As Ruby's own waits call it.
  def readable?(io, seconds) = Fiber.current_scheduler.io_wait(io, IO::READABLE, seconds) ? true : false

  def chained
    queues = Array.new(4) { Thread::Queue.new }
    queues.each_cons(2) { |from, to| Fiber.schedule { to << from.pop } }
    begun = now
    queues.first << 1
    queues.last.pop.tap { same(true, now - begun < 2) }
  end

  def plain_timeout = each_fiber { |number| number.even? ? raises(Timeout::Error) { Timeout.timeout(0.05) { sleep 60 } } : sleep(0.1) && 1 }

  def queries
    each_fiber do |number|
      same(number, @db.value("SELECT $1::int", number))
      same((0..number).sum, @db.stream("SELECT n FROM generate_series(0, $1::int) AS n", number).each.sum { |row| row["n"] })
      same([number, number + 1], [@db.async("SELECT $1::int", number), @db.async("SELECT $1::int", number + 1)].map { |future| future.value.value })
    end
  end

  def transactions = each_fiber { |number| transaction(Random.new(number), number) }

  def large_values = each_fiber { |number| same(300_000 + number, @db.value("SELECT $1::text", "x" * (300_000 + number)).size) }

  def slow_query = each_fiber { |number| same(number, @db.value("SELECT $1::int FROM pg_sleep($2)", number, number.zero? ? 2.5 : 0)) }

  def deadlines = each_fiber { |number| number.even? ? late(Random.new(number), number) : value(nil, number) }

  def timeouts = each_fiber { |number| number.even? ? stopped(Random.new(number), number) : value(nil, number) }

  def random
    kinds = WEIGHTS.flat_map { |kind, weight| [kind] * weight }
    kinds -= TIMED unless Fiber.current_scheduler.respond_to?(:timeout_after)
    finish = now + @seconds
    each_fiber do |number|
      random = Random.new(@seed + number)
      done = 0
      while now < finish
        kind = kinds.sample(random: random)
        begin
          send(kind, random, (number * 1_000_000) + (done += 1))
        rescue StandardError => error
          raise "#{kind} of fiber #{number}, seed #{@seed}: #{error.class}: #{error.message}"
        end
      end
      done
    end
  end

  def value(_random, token) = same(token, @db.value("SELECT $1::int", token))
  def slow(random, token) = same(token, @db.value("SELECT $1::int FROM pg_sleep($2)", token, random.rand * 0.03))

  def large(random, token)
    text = "#{token} " * random.rand(20_000)
    same([text], [@db.value("SELECT $1::text", text)])
  end

  def transaction(random, token)
    @db.transaction do |tx|
      same(token, tx.value("SELECT $1::int FROM pg_sleep($2)", token, random.rand * 0.01))
      same(token + 1, tx.value("SELECT $1::int", token + 1))
    end
  end

  def rolled_back(random, token)
    same(token, catch(:left) do
      @db.transaction { |tx| throw :left, tx.value("SELECT $1::int FROM pg_sleep($2)", token, random.rand * 0.01) }
    end)
  end

  def stream(random, token)
    count = random.rand(3000)
    same(count, @db.stream("SELECT n, $1::int AS token FROM generate_series(1, $2::int) AS n", token, count).each.count { |row| row["token"] == token })
  end

  def left_stream(random, token)
    row = @db.stream("SELECT n, $1::int AS token FROM generate_series(1, 5000) AS n", token).each.find { |each| each["n"] > random.rand(5000) }
    same(token, row["token"])
  end

  def futures(random, token)
    numbers = Array.new(1 + random.rand(5)) { |turn| token + turn }
    same(numbers, numbers.map { |number| @db.async("SELECT $1::int", number) }.map { |future| future.value.value })
  end

  def session(random, token)
    @db.session do |session|
      session.query("SET application_name = 'session #{token}'")
      same("session #{token}", session.value("SELECT current_setting('application_name') FROM pg_sleep($1)", random.rand * 0.005))
    end
  end

  def late(random, _token) = raises(Trunkline::Deadline) { @db.value("SELECT 1 FROM pg_sleep(60)", deadline: 0.02 + (random.rand * 0.08)) }

  def stopped(random, _token) = raises(Timeout::Error) { Timeout.timeout(0.02 + (random.rand * 0.08)) { @db.value("SELECT 1 FROM pg_sleep(60)") } }

  # The answer and the timeout come at the same time.
  def raced(random, token)
    same(token, Timeout.timeout(0.001 + (random.rand * 0.01)) { @db.value("SELECT $1::int FROM pg_sleep($2)", token, random.rand * 0.01) })
  rescue Timeout::Error
    nil
  end

  def failing(_random, _token) = raises(Trunkline::ServerError) { @db.value("SELECT 1 / 0") }

  def raises(expected)
    yield
  rescue expected
    nil
  else
    raise "no #{expected}"
  end

  def same(right, given) = right == given || raise("#{given.inspect[0, 200]} in the place of #{right.inspect[0, 200]}")

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # Runs the block for each number in a separate fiber.
  # @return [Integer] the sum of what it returned, where that is a number, else how often it ran
  def each_fiber
    results = Thread::Queue.new
    FIBERS.times do |number|
      Fiber.schedule do
        value = yield number
        results << (value.is_a?(Integer) ? value : 1)
      rescue StandardError => error
        results << error
      end
    end
    outcomes = Array.new(FIBERS) { results.pop }
    outcomes.grep(StandardError).each { |error| raise error }
    outcomes.sum
  end
end
