# frozen_string_literal: true

require "async"
require "trunkline"

# A load on one client: queries with answers and parameters of all sizes, errors, transactions and abandoned futures, with more SQL texts than the
# client keeps; and this process's memory meanwhile. A separate program, as memory belongs to a process:
#
#   ruby -Ilib -Itest test/support/memory_load.rb URI QUERIES
class MemoryLoad
  CALLERS = 100
  CONNECTIONS = 4
  # The memory is measured after each of so many parts of a caller's queries.
  LOOKS = 10
  # One query in so many is of this kind; the first that applies.
  KINDS = { huge: 20_000, large: 500, failure: 300, transaction: 200, abandon: 150, variety: 40, types: 25, rows: 10 }.freeze
  TEXTS = 3000
  private_constant :CALLERS, :CONNECTIONS, :LOOKS, :KINDS, :TEXTS

  # The measurements: living objects and resident bytes, after each part.
  Growth = Struct.new(:objects, :resident) do
    # The part of the measurements in which memory may still reach its size.
    SETTLED = 0.4
    # Objects and bytes by which two measurements may differ without growth.
    OBJECTS = 5_000
    BYTES = 8 * 1024 * 1024

    # @return [Boolean] whether there were no more in the end than when all had settled
    def none? = grown(objects) <= OBJECTS && grown(resident) <= BYTES

    # From the median of the earlier measurements to that of the later ones.
    def grown(looks)
      settled = looks.drop((looks.size * SETTLED).floor)
      before, after = settled.each_slice((settled.size / 2.0).ceil).map { |part| part.sort[part.size / 2] }
      after - before
    end

    def to_s = "objects alive: #{objects.join(" ")}\nMiB resident: #{resident.map { |bytes| (bytes / 1048576.0).round(1) }.join(" ")}"
  end

  # @param uri [String]
  # @param queries [Integer] in all
  def initialize(uri, queries)
    @uri = uri
    @rounds = queries / CALLERS / LOOKS
    @number = 0
  end

  # @return [Growth]
  # @raise [RuntimeError] an answer was not the right one
  def run
    growth = Growth.new([], [])
    Trunkline.postgres(@uri, connections: CONNECTIONS, max_connections: 2 * CONNECTIONS) do |db|
      LOOKS.times do
        Sync { |task| Array.new(CALLERS) { task.async { @rounds.times { ask(db, @number += 1) } } }.each(&:wait) }
        look(growth)
      end
    end
    growth
  end

  private

  def look(growth)
    GC.start
    counts = ObjectSpace.count_objects
    growth.objects << (counts[:TOTAL] - counts[:FREE])
    growth.resident << (File.read("/proc/self/statm").split[1].to_i * 4096)
  end

  def ask(db, number)
    kind, = KINDS.find { |_, every| (number % every).zero? }
    return if send(kind || :value, db, number)

    raise "the answer to #{kind || :value} number #{number} was not the right one"
  end

  def value(db, number) = db.value("SELECT $1::bigint", number) == number
  def rows(db, number) = db.query("SELECT n, 'row ' || n FROM generate_series(1, $1::int) AS n", number % 97).size == number % 97
  def large(db, number) = db.value("SELECT repeat('x', $1::int)", number % 200_000).size == number % 200_000
  def huge(db, _) = db.value("SELECT $1 || $1", "x" * 1_000_000).size == 2_000_000
  def variety(db, number) = db.value("SELECT $1::bigint + #{number % TEXTS}", number) == number + (number % TEXTS)
  def abandon(db, number) = db.async("SELECT $1::bigint", number)
  def transaction(db, number) = db.transaction { |tx| tx.value("SELECT $1::bigint", number) == number }

  def types(db, number)
    row = [[number, nil], { "n" => number }, number / 8r]
    db.query("SELECT $1::bigint[], $2::jsonb, $3::numeric", *row).rows == [row]
  end

  def failure(db, number)
    db.query("SELECT $1::bigint / 0", number)
    false
  rescue Trunkline::DivisionByZero
    true
  end
end

if $PROGRAM_NAME == __FILE__
  growth = MemoryLoad.new(ARGV[0], Integer(ARGV[1])).run
  puts growth
  exit growth.none?
end
