# frozen_string_literal: true

require "test_helper"
require "support/history/run"

# As SoakTest, where neither side can send for as long as the other one does not read: the sockets of the client and of the proxy before the server
# hold 4 KiB, and callers begin many futures at once. A caller that waited to write, while no caller reads, would wait for ever.
class NarrowSocketsTest < Trunkline::TestCase
  ROUNDS = 8
  MOST = 300 # futures that a caller begins in a row
  TEXT = ("x" * 500).freeze
  NAP = 0.02 # seconds
  private_constant :ROUNDS, :MOST, :TEXT, :NAP

  WAYS = { "a_unix_socket" => false, "tcp" => true }.freeze
  private_constant :WAYS

  %i[threads mixed loops async reference].product(WAYS.to_a) do |environment, (way, tcp)|
    define_method(:"test_#{environment}_over_#{way}") do
      options = { answers: 300, interruptions: 40, troubles: {}, faults: {}, kinds: History::Operations::WITH_BURSTS }
      run = History::Run.new(postgres_server, environment: environment, seed: Minitest.seed, tcp: tcp, narrow: true, **options).call
      assert_empty run.report
      assert_operator run.counts[:interruptions], :>=, 40
    end
  end

  # A round is over when all of its callers are: no other one comes that would read for one that waits to write.
  { threads: Hosts::Threads, async: Hosts::Async, reference: Hosts::Reference }.to_a.product(WAYS.to_a) do |(name, host), (way, tcp)|
    define_method(:"test_rounds_of_#{name}_over_#{way}") do
      callers = History::Environment.new(host: host, size: 0, limit: 120)
      random = Random.new(Minitest.seed)
      over_narrow_sockets(callers, tcp) do |db|
        ROUNDS.times do
          counts = [0, *Array.new(random.rand(1..4)) { random.rand(3).zero? ? 0 : random.rand(1..MOST) }].shuffle(random: random)
          assert_equal counts, (callers.side_by_side(counts) { |count| count.zero? ? nap(db) : begin_in_a_row(db, count) })
        end
      end
    end
  end

  private

  def over_narrow_sockets(callers, tcp, &block)
    NarrowSockets.narrowed do
      GateProxy.open(postgres_server, tcp: tcp, narrow: true) do |proxy|
        callers.in_host { Trunkline.postgres(proxy.uri, connections: 1, max_connections: 2, &block) }
      end
    end
  end

  def nap(db) = db.value("SELECT 0 FROM pg_sleep($1)", NAP)

  # @return [Integer] how many of them have the right answer
  def begin_in_a_row(db, count)
    futures = Array.new(count) { db.async("SELECT $1::text || $1", TEXT) }
    futures.count { |future| future.value.value == TEXT * 2 }
  end
end
