# frozen_string_literal: true

require "timeout"
require "trunkline"

# Threads that request their own tokens from PostgreSQL and memcached in many ways, while they are interrupted, killed and timed out at any moment,
# and the garbage collector moves objects.
#
#   InterruptedCallers.new(uri, "127.0.0.1:11211", seed: 1).run(10) # => {right: 4711, ...}
class InterruptedCallers
  THREADS = 10
  LATER = 20 # seconds in which a thread that is told to end must end
  PAUSE = 0.01 # seconds between interrupts, or less
  Interrupt = Class.new(RuntimeError)
  Late = Class.new(Interrupt) # Timeout may raise it after its block has ended
  WAYS = %i[value rows timed_out transaction future past_its_deadline batch stream role wrong_array cached cached_many].freeze
  private_constant :THREADS, :LATER, :PAUSE, :Interrupt, :Late, :WAYS

  # @param uri [String] of a PostgreSQL server
  # @param address [String] of a memcached
  # @param seed [Integer]
  def initialize(uri, address, seed:)
    @uri, @address, @seed = uri, address, seed
    @counts = Hash.new(0)
    @lock = Mutex.new
    @started = 0
  end

  # @param seconds [Numeric]
  # @return [Hash{Symbol => Integer}] answers that were right, and wrong; of the errors, those that callers must expect, by class, and the
  #   unexpected ones; threads that were hung
  def run(seconds)
    Trunkline.postgres(@uri, connections: 2, max_connections: 6) do |db|
      Trunkline.memcached(@address, timeout: 10, raise_errors: true) do |cache|
        @db, @cache = db, cache
        @finish = now + seconds
        interrupt(Array.new(THREADS) { thread })
      end
    end
    @counts
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def count(outcome) = @lock.synchronize { @counts[outcome] += 1 }

  def interrupt(threads)
    random = Random.new(@seed)
    while now < @finish
      sleep(random.rand * PAUSE)
      at = random.rand(THREADS)
      case random.rand(8)
      when 0..4 then threads[at].raise(Interrupt)
      when 5 then GC.respond_to?(:compact) ? GC.compact : GC.start
      else threads[at] = thread.tap { threads[at].kill }
      end
    end
    threads.each { |thread| hung(thread) unless thread.join(LATER) }
  end

  def hung(thread)
    count(:hung)
    warn "hung:", thread.backtrace&.first(10)
    thread.kill
  end

  def thread
    number = @started += 1
    Thread.handle_interrupt(Interrupt => :never) { Thread.new { work(number, Random.new(@seed + number)) } }
  end

  def work(number, random)
    asked = 0
    ask("#{number}-#{asked += 1}", random) while now < @finish
  end

  def ask(token, random)
    way = WAYS.sample(random: random)
    answer = Thread.handle_interrupt(Interrupt => :immediate) { send(way, token, random) }
    count(answer == token ? :right : :wrong)
  rescue Interrupt
    count(:interrupted)
  rescue Trunkline::Error => error
    count(error.class.name.to_sym)
  rescue StandardError => error
    count(:unexpected)
    warn error.full_message(highlight: false)
  end

  def value(token, _) = @db.value("SELECT $1::text", token)
  def rows(token, _) = @db.query("SELECT $1::text AS a, $2::int[] AS b, now() AS c, 1.5::numeric AS d", token, [1, 2])[0]["a"]
  def timed_out(token, random) = Timeout.timeout(0.0005 + (random.rand * 0.003), Late) { @db.value("SELECT $1::text FROM pg_sleep(0.002)", token) }
  def past_its_deadline(token, _) = @db.value("SELECT $1::text FROM pg_sleep(0.01)", token, deadline: 0.003)
  def future(token, _) = @db.async("SELECT $1::text", token).value.value
  def role(token, _) = @db.value("SELECT $1::text", token, role: "postgres")

  def transaction(token, _)
    @db.transaction do |transaction|
      transaction.query("SELECT 1")
      transaction.value("SELECT $1::text", token)
    end
  end

  def batch(token, random)
    results = @db.batch(atomic: random.rand(2).zero?) do |batch|
      batch.query("SELECT 1")
      batch.query("SELECT $1::text", token)
    end
    results[1].value
  end

  def stream(token, _) = @db.stream("SELECT $1::text AS token, n FROM generate_series(1, 500) n", token).first(3).last["token"]

  # The parameter does not match its type: this fails in the server, or in the conversion.
  def wrong_array(token, random)
    @db.value("SELECT $1::int", random.rand(2).zero? ? "x" : [1, [2]])
  rescue Trunkline::ServerError, ArgumentError
    token
  end

  # Other threads use other keys, and a thread ends before one with its number begins: so a value that is found is its own.
  def cached(token, _)
    @cache.set(token, token)
    @cache.get(token)
  end

  def cached_many(token, _)
    @cache.set(token, token)
    @cache.get_multi(token, "absent")[token]
  end
end

if $PROGRAM_NAME == __FILE__
  uri, address, seed, seconds = ARGV
  puts InterruptedCallers.new(uri, address, seed: Integer(seed)).run(Float(seconds)).map { |outcome, count| "#{outcome}: #{count}" }
end
