# frozen_string_literal: true

require "async"
require "pg"
require "timeout"
require_relative "serial_calls"
require_relative "serial_oracle"
require_relative "serial_units"

# Many callers of one client do random units of work at once, some of which are interrupted, while another program changes a table and ends
# connections. Each step must return what it returns if the units are done one after another, each in a fresh session of the pg gem.
class Serial
  CALLERS = 12
  UNITS = 12        # of each caller in a round
  INTERRUPTED = 0.1 # of the units
  LATEST = 0.02     # seconds after which one is interrupted at most
  private_constant :CALLERS, :UNITS, :INTERRUPTED, :LATEST

  # @return [Hash{Symbol => Integer}] right, interrupted and excused steps and units
  attr_reader :counts

  # @return [Array<String>] units whose steps returned something else, with both
  attr_reader :wrong

  # @param server [Trunkline::Bench::PostgresServer] in which {SerialUnits::SCHEMA} was run
  # @param seed [Integer]
  # @param probes [Array<Array>] see {SerialUnits#initialize}
  def initialize(server, seed:, probes: [])
    @server = server
    @random = Random.new(seed)
    @units = SerialUnits.new(@random, probes)
    @counts = Hash.new(0)
    @wrong = []
    @lock = Mutex.new
  end

  # @param threads [Boolean] whether callers are threads; false: fibers of Async
  # @param disturbed [Boolean] whether another program changes a table and ends connections meanwhile
  def round(threads:, disturbed: true)
    work = Array.new(CALLERS) { Array.new(UNITS) { task(@units.unit) } }
    Trunkline.postgres(@server.uri, connections: 2, max_connections: 6, decode: { default: :text }, application_name: "serial") do |db|
      callers = work.map { |tasks| proc { tasks.each { |task| perform(db, *task) } } }
      disturbing(disturbed) { threads ? callers.map { |caller| Thread.new(&caller) }.each(&:join) : in_fibers(callers) }
    end
  ensure
    @oracle&.close
    @oracle = nil
  end

  private

  def in_fibers(callers) = Sync { |task| callers.map { |caller| task.async(&caller) }.each(&:wait) }

  # A unit, what its steps may return, and the seconds after which it is interrupted. Whenever another program changes a table or schema, the server
  # may parse a statement again that a session or a function has prepared: constants in it then follow the settings of that time.
  def task(unit)
    @oracle ||= SerialOracle.new(@server.uri)
    usual, parsed_again = [false, true].map { |again| @oracle.answers(unit, again) }
    [unit, usual.zip(parsed_again), @random.rand < INTERRUPTED ? @random.rand(LATEST) : nil]
  end

  def perform(db, unit, expected, after)
    told = []
    after ? interrupted(after) { SerialCalls.run(db, unit, told) } : SerialCalls.run(db, unit, told)
  rescue *SerialCalls::EXCUSES
    count(:excused)
  rescue Trunkline::Error => error
    # A failed transaction whose block continued raises at its end.
    report(unit, expected, told, error) unless unit.transaction? && told.grep(String).any?
  ensure
    compare(unit, expected, told)
  end

  def interrupted(after, &work)
    Fiber.current_scheduler ? Async::Task.current.with_timeout(after, &work) : Timeout.timeout(after, &work)
  rescue Timeout::Error, Async::TimeoutError, Trunkline::Closed
    count(:interrupted)
  end

  def compare(unit, expected, told)
    expected = expected.select { |either| either.grep(String).any? }.first(1) if unit.whole? && told.grep(String).any?
    count(:right, told.size)
    return if told.size <= expected.size && told.zip(expected).all? { |step, either| either.include?(step) }

    report(unit, expected, told)
  end

  def report(unit, expected, told, error = nil)
    @lock.synchronize { @wrong << "#{unit.kind} #{unit.options}: #{unit.steps}\n  expected #{expected}\n  told     #{told} #{error&.full_message(highlight: false)}" }
  end

  def count(name, number = 1) = @lock.synchronize { @counts[name] += number }

  def disturbing(disturbed)
    over = !disturbed
    other = Thread.new { disturb { over } } if disturbed
    yield
  ensure
    over = true
    other&.join
  end

  # Changes a table that units read, and ends a connection, from time to time.
  def disturb
    pg = PG.connect(@server.uri)
    %w[bigint int].cycle do |type|
      break if yield

      pg.exec("ALTER TABLE shared ALTER a TYPE #{type}")
      pg.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'serial' ORDER BY random() LIMIT 1") if rand(4).zero?
      sleep 0.02
    end
  ensure
    pg&.close
  end
end
