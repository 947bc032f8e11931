# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/database_helpers"
require "support/schedulers/gems"

# The client under the schedulers of others, as they are published.
class SchedulerGemsTest < Trunkline::TestCase
  include DatabaseHelpers

  FIBERS = 12
  GUIDE = File.expand_path("../../guides/fibers-threads-and-forks.md", __dir__)
  # Gems of schedulers that tests run, and how their rows begin in the guide's table.
  ROWS = { "async" => "| Async", "fiber_scheduler" => "| fiber_scheduler", "eventmachine" => "| `Trunkline::Schedulers::EventMachine`", "rage-rb" => "| Rage" }.freeze
  private_constant :FIBERS, :GUIDE, :ROWS

  SchedulerGems::ALL.each_key do |library|
    define_method(:"test_queries_of_many_fibers_under_#{library}") do
      assert_equal FIBERS.times.to_a, under(library) { |db| each_fiber { |number| db.value("SELECT $1::int", number) } }
    end

    define_method(:"test_values_that_take_many_reads_and_writes_under_#{library}") do
      sizes = under(library) { |db| each_fiber { |number| db.value("SELECT $1::text", "x" * (300_000 + number)).size } }
      assert_equal FIBERS.times.map { |number| 300_000 + number }, sizes
    end

    define_method(:"test_transactions_under_#{library}") do
      with_table("id int") do |table|
        under(library) do |db|
          each_fiber do |number|
            db.transaction { |transaction| 2.times { transaction.query("INSERT INTO #{table} VALUES ($1)", number) } }
          end
        end
        assert_equal (FIBERS * 2).to_s, psql("SELECT count(*) FROM #{table}").first
      end
    end

    define_method(:"test_a_deadline_beside_others_under_#{library}") do
      answers = under(library) do |db|
        each_fiber { |number| number.even? ? short_of_time(db) : db.value("SELECT $1::int FROM pg_sleep(0.01)", number) }
      end
      assert_equal FIBERS.times.map { |number| number.even? ? :late : number }, answers
    end
  end

  # What the table says of a gem is said of the version that runs here.
  def test_the_guide_names_the_versions_that_run
    lines = File.readlines(GUIDE, encoding: "UTF-8", chomp: true)
    ROWS.each do |gem, beginning|
      version = Gem.loaded_specs[gem]&.version or next
      row = lines.find { |line| line.start_with?(beginning) }
      assert_match(/\b#{Regexp.escape(version.to_s)}\b/, row, gem)
    end
  end

  private

  def under(library)
    Warning.stub(:warn, nil) { SchedulerGems.run(library) { with_client { |db| yield db } } }
  end

  # Runs the block for each number in a fiber of its own.
  # @return [Array] what it returned
  def each_fiber
    results = Thread::Queue.new
    FIBERS.times { |number| Fiber.schedule { results << [number, outcome(number) { |given| yield given }] } }
    FIBERS.times.map { results.pop }.sort_by(&:first).map { |_, outcome| outcome.call }
  end

  def outcome(number)
    value = yield number
    -> { value }
  rescue StandardError => error
    -> { raise error }
  end

  def short_of_time(db)
    db.query("SELECT pg_sleep(60)", deadline: 0.1)
  rescue Trunkline::Deadline
    :late
  end
end
