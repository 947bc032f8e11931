# frozen_string_literal: true

require_relative "interruptions"

# Callers who do everything a client can do, in random order, while they are cancelled at random moments; what they saw.
# A caller can be cancelled in the client only: Ruby's own waits leave wake-ups behind when they are cancelled.
class Soak
  include Interruptions

  # One caller: where it is, and where its randomness comes from.
  Worker = Struct.new(:number, :random, :caller, :exposed)

  ACTIONS = %i[query query large future impatience transaction timeout error wait].freeze
  private_constant :Worker, :ACTIONS

  # @return [Hash{Symbol => Integer}] :answers, :cancels, :astray, :disturbed
  attr_reader :counts

  # @param db [Trunkline::Postgres::Client]
  # @param seed [Integer]
  # @param seconds [Float] how long
  # @param exposure [Proc] calls its block so that the calling fiber can be cancelled there by the scheduler, if it does that
  def initialize(db, seed:, seconds: 3, exposure: lambda(&:call))
    @db = db
    @seed = seed
    @exposure = exposure
    @end = now + seconds
    @counts = Hash.new(0)
    @lock = Thread::Mutex.new
  end

  # Runs so many callers, each a fiber or thread of this host, and one who cancels them.
  #
  # @return [self] after all have ended
  def run(callers)
    workers = Array.new(callers) { |number| Worker.new(number, Random.new(@seed + number)) }
    workers.each { |worker| worker.caller = Caller.new { work(worker) } }
    cancel(workers, Random.new(@seed)) until now >= @end
    workers.each { |worker| worker.caller.value }
    self
  end

  private

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def cancel(workers, random)
    worker = workers.sample(random: random)
    worker.caller.cancel(Cancelled.new) if worker.exposed
    sleep(random.rand * 0.002)
  end

  def work(worker)
    Thread.handle_interrupt(Cancelled => :never) { act(worker) until now >= @end } unless Fiber.scheduler
    act(worker) until now >= @end
  rescue Cancelled
    count(:cancels)
  end

  def act(worker)
    action = ACTIONS.sample(random: worker.random)
    return count(undisturbed?(WAITS.sample(random: worker.random)) ? :waits : :disturbed) if action == :wait

    count(exposed(worker) { send(action, worker) } ? :answers : :astray)
  rescue Cancelled, HostileScheduler::Cancelled, Timeout::Error
    count(:cancels)
  end

  # Between this and the end of the block a cancel may come.
  def exposed(worker, &block)
    worker.exposed = true
    return @exposure.call(block) if Fiber.scheduler

    Thread.handle_interrupt(Cancelled => :immediate, &block)
  ensure
    worker.exposed = false
  end

  def count(what)
    @lock.synchronize { @counts[what] += 1 }
  end

  def query(worker)
    token = worker.random.rand(1 << 30)
    @db.value("SELECT $1::int", token) == token
  end

  def large(worker)
    size = worker.random.rand(200_000)
    @db.value("SELECT repeat($1::text, $2::int)", "x", size) == "x" * size
  end

  def future(worker)
    tokens = Array.new(3) { worker.random.rand(1 << 30) }
    futures = tokens.map { |token| @db.async("SELECT $1::int", token) }
    futures.map { |future| future.value.value } == tokens
  end

  def impatience(worker)
    future = @db.async("SELECT pg_sleep($1::float8)", worker.random.rand * 0.01)
    future.wait(worker.random.rand * 0.005)
    worker.random.rand < 0.5 || future.value.size == 1
  end

  def transaction(worker)
    token = worker.random.rand(1 << 30)
    @db.transaction do |tx|
      tx.query("SELECT set_config('test.token', $1, true)", token.to_s)
      tx.value("SELECT current_setting('test.token')") == token.to_s
    end
  end

  def timeout(worker)
    Timeout.timeout(worker.random.rand * 0.003) { query(worker) }
  rescue Timeout::Error
    true
  end

  def error(worker)
    @db.query("SELECT 1 / $1::int", 0)
    false
  rescue Trunkline::DivisionByZero
    query(worker)
  end
end
