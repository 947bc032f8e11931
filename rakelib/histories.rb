# frozen_string_literal: true

# Runs the tests' history checker on its own, for longer.
class Histories
  ROOT = File.expand_path("..", __dir__)
  # Answers of one run.
  ANSWERS = 5000
  # Seconds until a run counts as hung.
  LIMIT = 300
  private_constant :ROOT, :ANSWERS, :LIMIT

  def initialize
    $LOAD_PATH.unshift(File.join(ROOT, "lib"), File.join(ROOT, "test"))
    require "trunkline"
    require "support/history/run"
    require "support/private_servers"
    @server = Trunkline::Bench::PostgresServer.start
  end

  # Runs one environment after the other until the time is over.
  #
  # @param minutes [Float]
  # @raise [SystemExit] with the report of what went wrong
  def check(minutes:)
    finish = now + (minutes * 60)
    seed = Random.new_seed % (1 << 30)
    History::Environment::ALL.keys.cycle do |environment|
      return if now > finish

      check_one(environment, seed += 1)
    end
  end

  # @param environment [Symbol] of History::Environment::ALL
  # @param seed [Integer]
  # @raise [SystemExit] with the report of what went wrong
  def check_one(environment, seed)
    run = History::Run.new(@server, environment: environment, seed: seed, answers: ANSWERS, limit: LIMIT)
    puts "#{run}: #{run.call.counts}"
    abort run.report unless run.report.empty?
  rescue StandardError => error
    abort "#{error.full_message}\n#{run}"
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
