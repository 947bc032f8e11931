# frozen_string_literal: true

require "trunkline"

# Callers that stop waiting: threads that are killed, interrupted and timed out, tasks of event loops that are stopped, fibers that are dropped with
# their loops, plain fibers that are not resumed, and deadlines that pass, wherever each of them waits; sessions that the server ends, and forks
# beside them. It runs in rounds, each with its own client. After each round no trace of them
# may be left: nothing is in flight, each connection can be leased, a short query is answered soon, and the server has nothing to do.
#
#   GivenUpCallers.new(uri, seed: 1).run(60) # => {rounds: 12, right: 4711, ...}
class GivenUpCallers
  Interrupt = Class.new(RuntimeError)
  Late = Class.new(Interrupt) # Timeout may raise it after its block has ended
  # Threads; tasks of an event loop; plain fibers, without an event loop; fibers of a dropped event loop whose thread ends, lives without using the
  # client again, or uses it again.
  HOSTS = %i[threads tasks plain_fibers thread_ends thread_lives thread_asks].freeze
  FAULTS = %i[wrong unexpected hung kept slow busy misused forked_wrong grown].freeze # faults of the client
  EPOCHS = 9 # parts of a run, at most, after each of which live objects are counted
  EPOCH = 20 # seconds of such a part, at least
  SLOTS = 3000 # live objects by which the later parts may exceed the earlier ones: what is in flight, and what stacks still refer to
  LASTS = 1.5 # seconds of a round in which callers send requests
  CALLERS = 5 # per host
  LANES = 3 # concurrent rounds, most of which wait
  PATIENCE = 60 # seconds until a caller counts as hung, and until all connections must be free: a dropped transaction keeps its own for 30
  SOON = 0.3 # seconds in which a short query is answered, also on a busy machine
  CANCELLED = 6 # seconds within which the server has no more to do, also on a busy machine
  SLOW = 10 # seconds of a statement that is abandoned: longer than that
  DROPPED_SLOW = 0.4 # of one that may be dropped, and that the server continues
  private_constant :Interrupt, :Late, :EPOCHS, :EPOCH, :SLOTS, :LASTS, :CALLERS, :LANES, :PATIENCE, :SOON, :CANCELLED, :SLOW, :DROPPED_SLOW

  # @param uri [String] of a PostgreSQL server
  # @param seed [Integer]
  # @param hosts [Array<Symbol>] of HOSTS, which callers have
  def initialize(uri, seed:, hosts: HOSTS)
    @uri, @seed, @hosts = uri, seed, hosts
    @outcomes = Thread::Queue.new # no Mutex: a fiber that is dropped while it waits for one leaves its stack in the Mutex
  end

  # @param seconds [Numeric] after which no round begins
  # @return [Hash{Symbol => Integer}] rounds; answers that were right; errors that callers must expect, by class; connections that only the stack of a
  #   thread keeps (kept_by_a_stack); and FAULTS
  def run(seconds)
    @number = 0
    Trunkline.postgres(@uri) { |db| db.query("CREATE TABLE IF NOT EXISTS given_up_writes (token text)") }
    epochs = (seconds / EPOCH).floor.clamp(1, EPOCHS)
    slots = Array.new(epochs) { run_epoch(seconds / epochs.to_f) }
    count(:grown, "live slots after each part: #{slots.join(", ")}") if grown?(slots)
    @outcomes.close
    [].tap { |all| while (outcome = @outcomes.pop) do all << outcome end }.tally
  end

  # @param number [Integer] of the round
  def round(number)
    Round.new(@uri, @hosts, Random.new(@seed + number), "given up #{@seed + number}", method(:count)).call
    count(:rounds)
  end

  private

  # @return [Integer] live slots of Ruby's heap afterwards
  def run_epoch(seconds)
    finish = now + seconds
    Array.new(LANES) { Thread.new { round(@number += 1) while now < finish } }.each(&:join)
    3.times { GC.start }
    GC.stat(:heap_live_slots)
  end

  # In the first part everything reaches its size.
  def grown?(slots)
    return false if slots.size < 4

    earlier, later = slots.drop(1).each_slice((slots.size / 2.0).floor).first(2)
    later.min - earlier.min > SLOTS
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def count(outcome, details = nil)
    @outcomes << outcome
    warn "#{outcome}: #{details}" if details
  end
end

require_relative "given_up_round"
