# frozen_string_literal: true

require "minitest/autorun"
require "trunkline"

URI_OF_SERVER, CABLE = ARGV.shift(2)

# What callers are told, and when, once every packet is lost. See server_side.rb.
class BlackHoleTest < Minitest::Test
  SERVERS_NETWORK = Process.ppid.to_s
  # Seconds. The system gives up a connection that is silent, or whose packets are not acknowledged, after some of them.
  FAST = { keepalives_idle: 1, keepalives_interval: 1, keepalives_count: 2, tcp_user_timeout: 3000, connect_timeout: 2 }.freeze
  PATIENCE = 30
  private_constant :SERVERS_NETWORK, :FAST, :PATIENCE

  def teardown = cable("up")

  def cable(state) = system("nsenter", "-t", SERVERS_NETWORK, "-n", "ip", "link", "set", CABLE, state, exception: true)

  def with_client(**options)
    Trunkline.postgres(URI_OF_SERVER, connections: 1, max_connections: 2, **FAST, **options) do |db|
      assert_equal 1, db.value("SELECT 1")
      yield db
    end
  end

  # @yieldreturn [Exception]
  def in_time
    thread = Thread.new { yield }
    thread.report_on_exception = false
    assert thread.join(PATIENCE), "it still waits after #{PATIENCE} s"
    thread.value
  end

  def assert_back(db)
    cable("up")
    assert_equal 2, in_time { db.value("SELECT 2", deadline: PATIENCE) }
  end

  def test_a_deadline_passes
    with_client do |db|
      cable("down")
      error = in_time { assert_raises(Trunkline::Deadline) { db.query("SELECT 1", deadline: 0.5) } }
      assert_predicate error, :sent?
      assert_back(db)
    end
  end

  # The query is not acknowledged.
  def test_a_question_that_never_arrives
    with_client do |db|
      cable("down")
      error = in_time { assert_raises(Trunkline::Indeterminate) { db.query("SELECT 1") } }
      assert_match(/timed out|no route|unreachable/i, error.message)
      assert_back(db)
    end
  end

  # Nothing is owed to this side but an answer: the system asks whether the other is still there.
  def test_an_answer_that_never_arrives
    with_client do |db|
      asked = db.async("SELECT pg_sleep(2)")
      refute asked.wait(0.5)
      cable("down")
      in_time { assert_raises(Trunkline::Indeterminate) { asked.value } }
      assert_back(db)
    end
  end

  def test_no_connection_can_be_opened
    cable("down")
    error = in_time { assert_raises(Trunkline::ConnectionError) { with_client { flunk } } }
    assert_match(/timed out|no route|unreachable/i, error.message)
    refute_predicate error, :sent?
  end

  # The server is not told of the cancel either: the caller goes all the same.
  def test_a_cancel
    with_client do |db|
      future = db.async("SELECT pg_sleep(5)")
      cable("down")
      in_time { future.cancel }
      in_time { assert_raises(Trunkline::Error) { future.value } }
      assert_back(db)
    end
  end
end
