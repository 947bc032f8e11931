# frozen_string_literal: true

require "test_helper"
require "async"
require "json"
require "support/children"
require "support/gate_proxy"
require "support/leeway"
require "support/memcached_servers"

# What clients tell of themselves.
class StatsTest < Trunkline::TestCase
  include Children
  include Leeway
  include Trunkline::MemcachedServers

  def test_before_the_first_query
    with_client do |db|
      stats = db.stats
      assert_equal [0, 0, 0, 0, {}, []], stats.values_at(:open, :requests, :opened, :statements_cached, :statements, :trunks)
      assert_equal({ to_share: 0, to_pin: 0, waited: 0, mean: 0.0, p99: 0.0 }, stats[:queue])
      assert_equal stats, JSON.parse(JSON.generate(stats), symbolize_names: true).merge(statements: {})
    end
  end

  def test_queries_of_one_caller
    with_client do |db|
      3.times { db.value("SELECT $1::int", 1) }
      stats = db.stats
      assert_equal [1, 1, 0, 0, 0, 3, 1, 1], stats.values_at(:open, :shared, :pinned, :busy, :in_flight, :requests, :opened, :statements_cached)
      assert_equal [1.0, true], [stats[:requests_per_write], stats[:requests_per_read].between?(0.5, 1)]
      assert_equal 3, stats[:statements].fetch("SELECT $1::int")[:count]
      assert_equal [{ state: :shared, requests: 3 }], stats[:trunks].map { |trunk| trunk.slice(:state, :requests) }
    end
  end

  def test_what_is_in_flight_and_held
    with_client(connections: 1, max_connections: 2) do |db|
      futures = behind_a_lock(db) do
        db.transaction do |tx|
          tx.value("SELECT 1")
          stats = db.stats
          assert_equal [2, 1, 1, 3], stats.values_at(:open, :shared, :pinned, :in_flight)
          assert_equal %i[shared pinned], stats[:trunks].map { |trunk| trunk[:state] }
          assert_operator stats[:backlog], :>, 0
          assert_equal stats.values_at(:in_flight, :busy), [stats[:trunks].sum { |trunk| trunk[:in_flight] }, 1]
        end
      end
      futures.each(&:value)
      assert_equal [0, 0, 0], db.stats.values_at(:in_flight, :busy, :backlog)
    end
  end

  def test_requests_that_are_sent_together
    GateProxy.open(postgres_server) do |proxy|
      Trunkline.postgres(proxy.uri, connections: 1, max_connections: 1) do |db|
        db.value("SELECT 1")
        beside_held_answers(proxy, 100) { |task| task.async { db.value("SELECT 1") } }
        stats = db.stats
        assert_equal 101, stats[:requests]
        assert_operator stats[:requests_per_write], :>, 1
        assert_operator stats[:requests_per_read], :>, 1
      end
    end
  end

  def test_the_time_that_statements_take_and_wait
    with_client(connections: 1, max_connections: 2) do |db|
      db.value("SELECT 1")
      sleeper = "SELECT 1 FROM pg_sleep(0.05)"
      3.times.map { db.async(sleeper) }.each(&:value)
      statement = db.stats[:statements].fetch(sleeper)
      assert_equal 3, statement[:count]
      assert_operator statement[:mean], :>=, 0.045
      assert_operator statement[:p99], :>=, 0.04
      assert_operator statement[:wait], :>=, 0.015
    end
  end

  def test_callers_that_wait_for_a_connection_of_their_own
    with_client(connections: 1, max_connections: 2) do |db|
      Sync do |task|
        first = task.async { db.transaction { |tx| tx.value("SELECT 1 FROM pg_sleep(0.05)") } }
        second = task.async { db.transaction { |tx| tx.value("SELECT 1") } }
        task.yield until db.stats[:queue][:to_pin] == 1 || second.finished?
        [first, second].each(&:wait)
      end
      queue = db.stats[:queue]
      assert_equal 0, queue[:to_pin]
      assert_operator queue[:waited], :>=, 1
      assert_operator queue[:mean], :>, 0
    end
  end

  def test_a_connection_that_is_lost_and_one_that_is_not_to_be_had
    with_client do |db|
      pid = db.value("SELECT pg_backend_pid()")
      postgres_server.terminate(pid)
      db.value("SELECT 1")
      assert_equal [1, 2, 1, 1], db.stats.values_at(:open, :opened, :lost, :reconnects)
      assert_equal 2, db.stats[:requests]
    end
    Trunkline.postgres("host=127.0.0.1 port=1") do |db|
      assert_raises(Trunkline::ConnectionError) { db.value("SELECT 1") }
      assert_equal [0, 1], db.stats.values_at(:open, :failed)
    end
  end

  def test_cancelled_and_quarantined
    with_client do |db|
      with_much_leeway { assert_raises(Trunkline::Deadline) { db.query("SELECT pg_sleep(60)", deadline: 0.05) } }
      assert_raises(Trunkline::Cancelled) { db.async("SELECT pg_sleep(60)").tap(&:cancel).value }
      assert_operator db.stats[:cancelled], :>=, 1
      assert_equal 0, db.stats[:quarantined]
    end
  end

  def test_sums_never_fall_whatever_happens_to_connections
    with_client(connections: 2, max_connections: 4) do |db|
      before = sums(db)
      Sync do |task|
        callers = 6.times.map do |number|
          task.async do
            12.times do |round|
              trouble(db, number + round)
              before = sums(db).each { |name, sum| assert_operator sum, :>=, before[name], name }
            end
          end
        end
        callers.each(&:wait)
      end
      numbers(db.stats).each { |number| assert_operator number, :>=, 0 }
      assert_equal [0, 0], db.stats[:queue].values_at(:to_share, :to_pin)
      assert_operator db.stats[:lost], :>, 0
    end
  end

  def test_one_text_that_is_decoded_in_several_ways
    with_client do |db|
      2.times { db.value("SELECT 1") }
      db.with(decode: { 23 => :text }).value("SELECT 1")
      assert_equal [2, 3], [db.stats[:statements_cached], db.stats[:statements].fetch("SELECT 1")[:count]]
    end
  end

  def test_passwords_in_statements_are_not_told
    with_client do |db|
      %w[hunter1 hunter2].each { |password| db.value("SELECT 'host=h password=#{password}'") }
      refute_match(/hunter/, db.stats.inspect)
      assert_equal 2, db.stats[:statements].fetch("SELECT ***")[:count]
    end
  end

  def test_a_forked_child_counts_anew
    with_client do |db|
      db.value("SELECT 1")
      in_child_stats = in_child do
        first = db.stats[:requests]
        db.value("SELECT 1")
        [first, *db.stats.values_at(:requests, :open, :lost)]
      end
      assert_equal [0, 1, 1, 0], in_child_stats
      assert_equal 1, db.stats[:requests]
    end
  end

  def test_memcached_clients_tell_by_server
    with_cache do |cache|
      cache.set("a", 1)
      cache.get("a")
      stats = cache.client_stats
      assert_equal [memcached.address], stats.keys
      assert_equal [1, 2, 1], stats[memcached.address].values_at(:open, :requests, :opened)
    end
  end

  private

  # Runs the block while three statements wait for a lock: on a busy machine they would not sleep for long enough.
  #
  # @return [Array<Trunkline::Postgres::Future>] theirs
  def behind_a_lock(db)
    with_client(connections: 1) do |other|
      other.transaction do |holder|
        holder.query("SELECT pg_advisory_xact_lock(26)")
        Array.new(3) { db.async("SELECT 1 FROM pg_advisory_xact_lock_shared(26)") }.tap { yield }
      end
    end
  end

  # All answers have arrived before one is let through: a caller of a busy machine could have its answer before the next one sends its request.
  def beside_held_answers(proxy, count)
    proxy.hold(:answers)
    before = proxy.messages(:answers)["Z"]
    Sync do |task|
      tasks = Array.new(count) { yield task }
      proxy.await_messages(:answers, "Z", before + count)
      proxy.release(:answers)
      tasks.each(&:wait)
    end
  end

  def trouble(db, number)
    case number % 6
    when 0 then db.query("SELECT pg_sleep(0.1)", deadline: 0.01)
    when 1 then db.transaction { |tx| tx.value("SELECT 1") }
    when 2 then db.value("SELECT pg_terminate_backend(pg_backend_pid())")
    when 3 then db.async("SELECT pg_sleep(0.1)").cancel
    else db.value("SELECT $1::int", number)
    end
  rescue Trunkline::Error
    # what happens to the connections happens to their callers
  end

  def sums(db) = db.stats.slice(:requests, :writes, :reads, :opened, :reconnects, :lost, :failed, :abandoned, :cancelled, :quarantined)

  def numbers(stats)
    case stats
    when Hash then stats.values.flat_map { |value| numbers(value) }
    when Array then stats.flat_map { |value| numbers(value) }
    when Numeric then [stats]
    else []
    end
  end
end
