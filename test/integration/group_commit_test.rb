# frozen_string_literal: true

require "suites"
require "support/pgbouncer"

# What a write that shares its flush promises, when the server crashes, waits for a standby, or is behind a pooler.
class GroupCommitTest < Trunkline::TestCase
  include DatabaseHelpers
  include Hosts::Async

  # Nothing else flushes the log, and a checkpoint does not come in between.
  DURABLE = { "fsync" => "on", "synchronous_commit" => "on", "full_page_writes" => "on", "wal_writer_delay" => "10s", "checkpoint_timeout" => "1h" }.freeze
  INSERT = "INSERT INTO written VALUES ($1)"
  # The flush waits for a standby of this name, which does not exist.
  WAITING = "ALTER SYSTEM SET synchronous_standby_names = 'none'; SELECT pg_reload_conf()"
  private_constant :DURABLE, :INSERT, :WAITING

  # The server is killed at three moments, another three in each run, with writes in flight.
  def test_no_acknowledged_write_is_lost_when_the_server_is_killed
    with_writable_server do |server|
      acknowledged = []
      [1..20, 20..100, 100..200].map { |counts| rand(counts) }.each_with_index do |count, round|
        acknowledged.concat(written_until_killed(server, count, round * 100_000))
        server.start
        assert_empty acknowledged - server.psql("SELECT n FROM written").split.map(&:to_i)
      end
    end
  end

  # That the server's end undoes what was not flushed, or else the test above would show nothing.
  def test_a_write_that_is_not_flushed_is_lost_when_the_server_is_killed
    with_writable_server do |server|
      Trunkline.postgres(server.uri, options: "-c synchronous_commit=off") do |db|
        # Or else it flushes the log after 10 s, which may pass before the kill on a busy machine.
        Process.kill(:STOP, server.psql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'").to_i)
        db.query(INSERT, 1)
        written = server.psql("SELECT n FROM written")
        kill(server)
        assert_equal "1\n", written
      end
      server.start
      assert_empty server.psql("SELECT n FROM written")
    end
  end

  # Or else each lone write after it would wait for a flush of others.
  def test_a_writer_that_is_interrupted_as_it_begins_is_forgotten
    with_client(group_commit: true) do |db|
      writing = db.instance_variable_get(:@group_commit).instance_variable_get(:@writing)
      writing.define_singleton_method(:[]=) { |*entry| super(*entry) && raise(Interrupt) }
      assert_raises(Interrupt) { db.query("INSERT INTO none VALUES (1)") }
      assert_empty writing
    end
  end

  def test_a_write_is_visible_before_it_is_acknowledged
    with_waiting_writes do |server, db, callers|
      assert_equal %w[2 3 4], server.psql("SELECT n FROM written WHERE n > 1 ORDER BY n").split
      assert(callers.none?(&:done?))
      # On a busy machine the deadline may pass before it is executed: then another one is tried.
      error = assert_raises(Trunkline::Deadline) { db.query(INSERT, 5, deadline: 0.1) } until error&.message&.include?("was executed")
      assert_equal [true, false], [error.sent?, error.retriable?]
      assert_match(/was executed.*not known to be on disk.*: the deadline has passed/, error.message)
      server.psql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()")
      assert_equal [1] * 4, callers.map { |caller| caller.value.affected_rows }
    end
  end

  # The connection over which others are flushed is ended, and then those of the writes themselves.
  def test_a_flush_that_is_lost
    with_waiting_writes do |server, db, callers|
      ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_logical_emit_message(true%' AND wait_event = 'SyncRep'"
      server.psql(ends) until callers.drop(1).all?(&:done?)
      callers.drop(1).each do |caller|
        assert_kind_of Trunkline::Indeterminate, caller.error
        assert_match(/was executed.*not known to be on disk/, caller.error.message)
      end
      server.psql("ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()")
      assert_equal 1, db.query(INSERT, 6).affected_rows
    end
  end

  # A flush by another process of the server proves nothing where a pooler may have sent it to another server.
  def test_behind_a_pooler_each_write_has_a_commit_of_its_own
    with_table("n int") do |table|
      PgBouncer.open(postgres_server, pool: 2) do |pooler|
        in_host do
          Trunkline.postgres(pooler.uri, connections: 2, prepare: false, group_commit: true) do |db|
            side_by_side(1..30) { |number| db.query("INSERT INTO #{table} VALUES ($1)", number) }
            assert_equal 30, db.value("SELECT count(*) FROM #{table}")
            assert_equal [0], side_by_side(1..8) { db.value("SELECT count(*) FROM pg_settings WHERE name = 'synchronous_commit' AND source = 'session'") }.uniq
            refute(db.stats[:statements].keys.any? { |sql| sql.include?("pg_logical_emit_message") })
          end
        end
      end
    end
  end

  def test_a_role_that_may_not_flush_has_commits_of_its_own
    with_writable_server do |server|
      function = server.psql("SELECT oid::regprocedure FROM pg_proc WHERE proname = 'pg_logical_emit_message' AND proargtypes[2] = 'text'::regtype").strip
      server.psql("CREATE ROLE writer LOGIN; GRANT INSERT, SELECT ON written TO writer; REVOKE EXECUTE ON FUNCTION #{function} FROM public")
      in_host do
        Trunkline.postgres(server.uri(user: "writer"), group_commit: true) do |db|
          side_by_side(1..20) { |number| db.query(INSERT, number) }
          assert_equal 20, db.value("SELECT count(*) FROM written")
          assert_equal 0, db.stats[:group_commit][:open]
          assert_match(/permission denied for function pg_logical_emit_message/, db.stats[:group_commit][:unavailable])
        end
      end
    end
  end

  # Of the two that a client finds, a role's level counts for the flush, as it does for a commit.
  def test_the_level_of_the_role_holds_for_the_flush
    with_writable_server do |server|
      server.psql("ALTER ROLE postgres SET synchronous_commit = 'remote_apply'; CREATE TABLE levels (level text)")
      in_host do
        Trunkline.postgres(server.uri, connections: 1, group_commit: true) do |db|
          insert = "INSERT INTO levels VALUES (current_setting('synchronous_commit')) RETURNING level"
          assert_equal %w[off remote_apply], side_by_side(1..10) { db.value(insert) }.uniq.sort
          assert_equal ["remote_apply"], side_by_side(1..10) { db.value("SELECT current_setting('synchronous_commit')") }.uniq
        end
      end
    end
  end

  private

  def with_writable_server
    with_server(settings: DURABLE) do |server|
      server.psql("CREATE TABLE written (n int)")
      yield server
    end
  end

  # The first write waits for its own commit, the others for the flush that they share.
  #
  # @yieldparam callers [Array<Caller>]
  def with_waiting_writes
    with_writable_server do |server|
      in_host do
        Trunkline.postgres(server.uri, connections: 1, group_commit: true) do |db|
          side_by_side(1..4) { db.query("DELETE FROM written") } until db.stats[:group_commit][:open] == 1
          server.psql(WAITING)
          first = write_that_waits(server, db)
          yield server, db, [first, *(2..4).map { |number| later { db.query(INSERT, number) }.tap { arrived(server, number) } }]
        end
      end
    end
  end

  # The checkpointer makes commits wait when it has read the settings again, and pg_reload_conf does not wait for it: a write
  # before that is acknowledged at once.
  #
  # @return [Caller] whose commit waits for the standby
  def write_that_waits(server, db)
    loop do
      caller = later { db.query(INSERT, 1) }
      sleep 0.005 until caller.done? || server.psql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT%' AND wait_event = 'SyncRep'") == "1\n"
      return caller unless caller.done?
    end
  end

  # The row of a write whose commit is asynchronous is visible.
  def arrived(server, number)
    sleep 0.005 until server.psql("SELECT count(*) FROM written WHERE n = #{number}") == "1\n"
  end

  # @return [Array<Integer>] the numbers whose writes were acknowledged
  def written_until_killed(server, count, first)
    acknowledged = Thread::Queue.new
    Trunkline.postgres(server.uri, connections: 3, group_commit: true) do |db|
      writers = (0...12).map { |writer| Thread.new { write_on(db, first + (writer * 1000), acknowledged) } }
      numbers = Array.new(count) { acknowledged.pop }
      kill(server)
      writers.each(&:join)
      numbers + Array.new(acknowledged.size) { acknowledged.pop }
    end
  end

  def write_on(db, number, acknowledged)
    loop do
      db.query(INSERT, number)
      acknowledged << number
      number += 1
    end
  rescue Trunkline::Error
    nil
  end

  # As the kernel does when there is no memory left: nothing is written any more.
  def kill(server)
    Process.kill(:STOP, server.pid) # it starts no further processes while these are looked up
    processes = [server.pid, *children_of(server.pid)]
    processes.each { |pid| Process.kill(:KILL, pid) rescue nil }
    sleep 0.005 until processes.none? { |pid| running?(pid) }
    File.delete(File.join(server.socket_directory, "postmaster.pid")) # which says that it is ready
  end

  def children_of(pid)
    Dir["/proc/[0-9]*/stat"].filter_map do |path|
      fields = File.read(path)[/\) (.*)/m, 1].split
      File.basename(File.dirname(path)).to_i if fields[1].to_i == pid
    rescue SystemCallError
      nil
    end
  end

  def running?(pid)
    !%w[Z X].include?(File.read("/proc/#{pid}/stat")[/\) (.)/, 1])
  rescue SystemCallError
    false
  end
end
