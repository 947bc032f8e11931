# frozen_string_literal: true

require "test_helper"
require "async"
require "async/barrier"
require "async/container"
require "async/idler"
require "async/limited_queue"
require "async/queue"
require "async/semaphore"
require "support/children"
require "support/database_helpers"

# What programs are built of in Async: its barriers, semaphores, queues and idlers, and the containers and services of its family.
class AsyncGemsTest < Trunkline::TestCase
  include Children
  include DatabaseHelpers

  def test_a_barrier
    with_client do |db|
      barrier = Async::Barrier.new
      Sync do
        tasks = Array.new(20) { |number| barrier.async { db.value("SELECT $1::int", number) } }
        barrier.wait
        assert_equal 20.times.to_a, tasks.map(&:wait)
      end
    end
  end

  # Of twenty, those that wait are stopped, and no cancel of theirs hits a neighbour.
  def test_a_barrier_that_is_stopped
    name = unique_name
    with_client(application_name: name) do |db|
      Sync do |task|
        barrier = Async::Barrier.new
        20.times { barrier.async { db.query("SELECT pg_sleep(60)") } }
        neighbour = task.async { Array.new(20) { |number| db.value("SELECT $1::int", number) } }
        assert eventually { works_for?(name) }
        barrier.stop
        assert_equal 20.times.to_a, neighbour.wait
        assert_equal 1, db.value("SELECT 1")
      end
      assert_no_query_runs(name, db)
    end
  end

  # What lies unread, as its notice does, is not its answer.
  def test_a_task_that_is_stopped_after_its_statement_has_raised_a_notice
    psql("CREATE FUNCTION noticed_before_sleep() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'begun'; PERFORM pg_sleep(60); END $$")
    name = unique_name
    with_client(application_name: name) do |db|
      Sync do |task|
        db.value("SELECT 1")
        asking = task.async { db.query("SELECT noticed_before_sleep()") }
        Fiber.new(blocking: true) { assert_waits(name, "PgSleep") }.resume # the event loop has no turn
        asking.stop
      end
      assert_no_query_runs(name, db)
    end
  ensure
    psql("DROP FUNCTION noticed_before_sleep")
  end

  # Rows that come faster than they are read.
  def test_a_task_that_is_stopped_while_a_large_answer_comes
    name = unique_name
    with_client(application_name: name) do |db|
      Sync do |task|
        db.value("SELECT 1")
        asking = task.async { db.query("SELECT repeat('x', 1000), generate_series(1, 100000000)") }
        Fiber.new(blocking: true) { assert_waits(name, "ClientWrite") }.resume
        asking.stop
      end
      assert_no_query_runs(name, db)
    end
  end

  # A barrier in which one fails leaves the others to be stopped.
  def test_a_barrier_with_one_that_fails
    with_client do |db|
      Sync do
        barrier = Async::Barrier.new
        barrier.async { db.query("SELECT pg_sleep(60)") }
        failing = barrier.async { db.query("SELECT 1 / 0") }
        assert_raises(Trunkline::ServerError) { failing.wait }
        barrier.stop
        assert_equal 1, db.value("SELECT 1")
      end
    end
  end

  # As many sessions as the semaphore lets in, and no more.
  def test_a_semaphore
    name = unique_name
    with_client(connections: 1, application_name: name) do |db|
      Sync do
        barrier = Async::Barrier.new
        semaphore = Async::Semaphore.new(3, parent: barrier)
        tasks = Array.new(12) { |number| semaphore.async { db.session { |session| [session.value("SELECT $1::int", number), semaphore.count] } } }
        barrier.wait
        numbers, counts = tasks.map(&:wait).transpose
        assert_equal 12.times.to_a, numbers
        assert_operator counts.max, :<=, 3
      end
      assert(eventually { sessions(name).size <= 4 }) # the server may still list one that was replaced
    end
  end

  def test_an_idler
    with_client do |db|
      Sync do
        idler = Async::Idler.new(2.0) # whatever else this machine does
        assert_equal 10.times.to_a, Array.new(10) { |number| idler.async { db.value("SELECT $1::int", number) } }.map(&:wait)
      end
    end
  end

  # Rows that one task streams are written by four others, through a queue that holds ten.
  def test_a_queue_from_a_stream_to_writers
    with_table("id int") do |table|
      with_client do |db|
        Sync do |task|
          queue = Async::LimitedQueue.new(10)
          writers = Array.new(4) { task.async { write_from(queue, db, table) } }
          db.stream("SELECT n FROM generate_series(1, 200) AS n").each { |row| queue.enqueue(row["n"]) }
          writers.size.times { queue.enqueue(nil) }
          assert_equal 200, writers.sum(&:wait)
          assert_equal [200, 20_100], db.query("SELECT count(*), sum(id) FROM #{table}").rows.first
        end
      end
    end
  end

  # Three event loops and three plain threads with one client of two connections, each loop with tasks of every kind.
  def test_event_loops_and_threads_with_one_client
    name = unique_name
    with_client(connections: 2, max_connections: 4, application_name: name) do |db|
      loops = Array.new(3) { |number| Thread.new { Sync { |task| Array.new(20) { |turn| task.async { ask(db, (number * 20) + turn) } }.map(&:wait) } } }
      threads = Array.new(3) { |number| Thread.new { Array.new(20) { |turn| ask(db, 60 + (number * 20) + turn) } } }
      assert_equal 120.times.to_a, (loops + threads).flat_map(&:value)
      assert(eventually { sessions(name).size <= 4 }) # the server may still list one that was replaced
    end
  end

  # A thread within an event loop's task that runs an event loop of its own, and a transaction on either side.
  def test_an_event_loop_in_a_thread_of_a_task
    with_table("id int") do |table|
      with_client do |db|
        Sync do
          db.transaction do |transaction|
            transaction.query("INSERT INTO #{table} VALUES (1)")
            within = Thread.new { Sync { |task| [db.value("SELECT count(*) FROM #{table}"), task.async { insert(db, table, 2) }.wait] } }.value
            assert_equal [0, 1], within
            assert_equal 2, transaction.value("SELECT count(*) FROM #{table}")
          end
        end
        assert_equal %w[1 2], psql("SELECT id FROM #{table} ORDER BY id")
      end
    end
  end

  # A client that was used before is used by each child, whether that is a process, a thread, or a thread of a process. A process that takes more than
  # 0.1 s to exit is killed by the gem, which logs that as an error.
  def test_containers
    with_table("kind text, pid int") do |table|
      output, status = run_program(CONTAINERS, postgres_server.uri, table)
      assert_equal "answered\n", output
      assert status.success?
      assert_equal %w[Forked|3|30 Hybrid|3|30 Threaded|1|30], psql("SELECT kind, count(DISTINCT pid), count(*) FROM #{table} GROUP BY kind ORDER BY kind")
    end
  end

  CONTAINERS = <<~RUBY
    ENV["CONSOLE_LEVEL"] = "fatal"
    $VERBOSE = nil # other libraries' warnings
    require "async"
    require "async/container"
    uri, table = ARGV
    db = Trunkline.postgres(uri)
    db.query("SELECT 1")
    { "Forked" => {}, "Threaded" => {}, "Hybrid" => { forks: 3, threads: 1 } }.each do |kind, options|
      container = Async::Container.const_get(kind).new
      container.run(count: 3, **options) do |instance|
        Sync do |task|
          instance.ready!
          Array.new(10) { task.async { db.query("INSERT INTO \#{table} VALUES ($1, $2)", kind, Process.pid) } }.each(&:wait)
        end
      end
      container.wait
    end
    puts "answered" if db.value("SELECT 1") == 1
  RUBY
  private_constant :CONTAINERS

  # What async-service starts from its file: two instances, until the program is told to end.
  def test_a_service
    with_table("id int, pid int") do |table|
      output, status = run_program(SERVICE, postgres_server.uri, table)
      assert_equal ["2|20"], psql("SELECT count(DISTINCT pid), count(*) FROM #{table}"), output
      assert status.success?, output
    end
  end

  SERVICE = <<~RUBY
    ENV["CONSOLE_LEVEL"] = "error"
    $VERBOSE = nil # other libraries' warnings
    require "async"
    require "async/service"
    URI_OF_SERVER, TABLE = ARGV
    DB = Trunkline.postgres(URI_OF_SERVER)
    class Writers < Async::Service::Generic
      def setup(container)
        super
        container.run(count: 2) do |instance|
          Sync do |task|
            instance.ready!
            Array.new(10) { task.async { DB.query("INSERT INTO \#{TABLE} VALUES (1, $1)", Process.pid) } }.each(&:wait)
          end
        end
      end
    end
    configuration = Async::Service::Configuration.build do
      service("writers") { service_class Writers }
    end
    Async::Service::Controller.run(configuration)
  RUBY
  private_constant :SERVICE

  private

  def ask(db, number)
    case number % 3
    when 0 then db.value("SELECT $1::int", number)
    when 1 then db.transaction { |transaction| transaction.value("SELECT $1::int", number) }
    when 2 then db.async("SELECT $1::int", number).value.value
    end
  end

  def insert(db, table, id) = db.query("INSERT INTO #{table} VALUES ($1)", id).affected_rows

  def write_from(queue, db, table)
    written = 0
    while (number = queue.dequeue)
      written += insert(db, table, number)
    end
    written
  end
end
