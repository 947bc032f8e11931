# frozen_string_literal: true

require "socket"
require "timeout"
require "suites"
require "support/pgbouncer"

# Requests to cancel that go through PgBouncer, of callers that do not wait for their end. Versions before 1.19 exit when the connection of such a request
# is closed before it was passed on.
class PooledCancelsTest < Trunkline::TestCase
  include DatabaseHelpers
  include Leeway

  CANCEL_REQUEST = (1234 << 16) | 5678
  CALLERS = 8
  CANCELS = 25 # of each caller
  CLOSED = 200 # requests of the control
  LONG = "SELECT pg_sleep(1000) /* until it is cancelled */"
  Interrupted = Class.new(StandardError)
  private_constant :CANCEL_REQUEST, :CALLERS, :CANCELS, :CLOSED, :LONG, :Interrupted

  def test_it_survives_deadlines_that_pass
    assert_survives { |db, random| assert_raises(Trunkline::Deadline) { db.value(LONG, deadline: random.rand * 0.01) } }
  end

  # At any moment: also while the request to cancel is under way.
  def test_it_survives_interrupted_callers
    assert_survives do |db, random|
      assert_raises(Trunkline::Deadline, Interrupted) { Timeout.timeout(random.rand * 0.01, Interrupted) { db.value(LONG, deadline: random.rand * 0.01) } }
    end
  end

  # It does nothing while the requests to cancel come, and their callers go on.
  def test_it_survives_callers_that_wait_for_no_end
    pooled do |pooler|
      Trunkline.postgres(pooler.uri, connections: CALLERS) do |db|
        callers = Array.new(CALLERS) { Thread.new { assert_raises(Interrupted) { db.value(LONG) } } }
        assert eventually { sleeping.size == CALLERS }
        pooler.frozen do
          callers.each { |caller| caller.raise(Interrupted) }
          callers.each(&:join)
        end
        assert eventually { sleeping.empty? }
      end
      assert_predicate pooler, :running?
    end
  end

  # What would happen in those above if the client closed these connections itself.
  def test_what_ends_it
    pooled do |pooler|
      session = Trunkline::Postgres::Connector.connect(Trunkline::Config.new(pooler.uri))
      request = [12 + session.secret_key.bytesize, CANCEL_REQUEST, session.backend_pid, session.secret_key].pack("NNNa*")
      close_many = lambda do
        begin_long(session)
        CLOSED.times { close_at_once(pooler.port, request) if pooler.running? }
      end
      close_many.call
      if PgBouncer.ended_by_closed_cancels?
        assert(eventually { close_many.call && !pooler.running? })
      else
        assert_predicate pooler, :running?
      end
    ensure
      session&.io&.close
      psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '#{LONG}'") # whose client is not missed before it has a result
    end
  end

  private

  # Each time, as an earlier one may have been cancelled: a request to cancel is then not passed on.
  def begin_long(session)
    session.io.write(["Q", LONG.bytesize + 5, LONG].pack("aNZ*"))
  rescue Errno::EPIPE, Errno::ECONNRESET
    nil # the pooler has ended
  end

  def pooled(&block) = PgBouncer.open(postgres_server, pool: CALLERS, clients: 1000, &block)

  # The pooler drops a cancel of a request that waits for a connection to the server: its caller cancels it again until that is there.
  #
  # @yieldparam db [Trunkline::Postgres::Client]
  # @yieldparam random [Random]
  def assert_survives
    pooled do |pooler|
      Trunkline.postgres(pooler.uri, connections: 2, max_connections: CALLERS) do |db|
        db.value("SELECT 1")
        with_much_leeway { Array.new(CALLERS) { |seed| Thread.new(Random.new(seed)) { |random| CANCELS.times { yield db, random } } }.each(&:join) }
        assert_operator db.stats[:cancelled], :>, 0
        assert eventually { sleeping.empty? }
      end
      assert_predicate pooler, :running?
    end
  end

  def sleeping = psql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%#{LONG}%'")

  def close_at_once(port, request)
    TCPSocket.open("127.0.0.1", port) { |socket| socket.write(request) }
    nil
  rescue SystemCallError
    nil # it has ended
  end
end
