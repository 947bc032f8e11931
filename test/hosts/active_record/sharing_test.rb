# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # Many connections of ActiveRecord's, few of the server's: what takes one of its own, and for how long.
    class SharingTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      # Asking for raw_connection would begin a transaction that is only intended.
      PINNED = ->(connection) { connection.instance_variable_get(:@raw_connection)&.pinned? }
      PATIENCE = 600 # seconds in which hundreds of callers have their turns, also on a slow machine
      private_constant :PINNED, :PATIENCE

      def test_what_shares_takes_no_connection_of_its_own
        ours.execute("SELECT 1")
        ours.exec_query("SELECT $1::int", "SQL", [1], prepare: true)
        refute PINNED[ours]
      end

      # As a list, and as a URL has it.
      def test_functions_of_the_applications_own_take_one
        [["set_actor", "audit.begin"], "set_actor, audit.begin"].each do |functions|
          connect(session_functions: functions)
          ours.execute("SELECT 1 FROM (SELECT 1) set_actor")
          refute PINNED[ours]
          assert_raises(::ActiveRecord::StatementInvalid) { ours.execute("SELECT audit.begin()") }
          assert_raises(::ActiveRecord::StatementInvalid) { ours.execute("SELECT set_actor('alice')") }
          assert PINNED[ours]
        end
      end

      # What one caller's function keeps in the session, another caller never reads.
      def test_what_a_function_has_set_stays_with_its_caller
        psql("CREATE FUNCTION set_actor(name text) RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.actor', name, false) $$;")
        [["set_actor"], "detect"].each do |functions|
          connect(session_functions: functions, server_connections: 1)
          actor = -> { ours.select_value("SELECT coalesce(current_setting('app.actor', true), '')") }
          assert_equal "alice", (Thread.new { ours.execute("SELECT set_actor('alice')") && actor.call }.value)
          assert_equal "", Thread.new(&actor).value
        end
      ensure
        psql("DROP FUNCTION set_actor(text)")
      end

      # The trigger shows in no SQL: of ten callers each is in its own row.
      def test_an_audit_trigger_that_keeps_its_actor_is_found
        psql("CREATE TABLE acted (actor text, v text); CREATE FUNCTION acts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " \
             "NEW.actor := coalesce(nullif(current_setting('app.acted', true), ''), NEW.v); PERFORM set_config('app.acted', NEW.v, false); RETURN NEW; END $$; " \
             "CREATE TRIGGER acts BEFORE INSERT ON acted FOR EACH ROW EXECUTE FUNCTION acts();")
        connect(session_functions: "detect", server_connections: 1, max_server_connections: 3, checkout_timeout: 60)
        in_transaction = ->(name) { Ours.with_connection { |connection| connection.transaction { connection.execute("INSERT INTO acted (v) VALUES ('#{name}')") } } }
        alone = ->(name) { Ours.with_connection { |connection| connection.execute("INSERT INTO acted (v) VALUES ('#{name}')") } }
        [in_transaction, alone].product([*1..5]).map { |ask, number| Thread.new { ask.call("#{ask.object_id} #{number}") } }.each(&:join)
        assert_equal [10, 0], ours.select_rows("SELECT count(*), count(*) FILTER (WHERE actor <> v) FROM acted").first
      ensure
        psql("DROP TABLE acted; DROP FUNCTION acts()")
      end

      def test_a_transaction_has_one_from_its_first_query_to_its_end
        with_model("name text") do |model|
          model.transaction do
            refute PINNED[ours]
            model.create!(name: "Ada")
            assert PINNED[ours]
            model.transaction(requires_new: true) { model.create!(name: "Grace") && raise(::ActiveRecord::Rollback) }
            assert PINNED[ours]
          end
          refute PINNED[ours]
          assert_equal ["Ada"], model.pluck(:name)
        end
      end

      def test_a_failed_transaction_gives_it_back
        with_model("name text UNIQUE") do |model|
          model.create!(name: "Ada")
          assert_raises(::ActiveRecord::RecordNotUnique) { model.transaction { model.create!(name: "Ada") } }
          refute PINNED[ours]
          assert_equal 1, model.count
        end
      end

      def test_begin_and_commit_by_hand
        with_model("name text") do |model|
          ours.execute("BEGIN")
          ours.execute("INSERT INTO #{model.table_name} (name) VALUES ('Ada')")
          assert PINNED[ours]
          ours.execute("COMMIT")
          refute PINNED[ours]
          assert_equal 1, model.count
        end
      end

      # What stays until the connection goes back to ActiveRecord's pool.
      def test_what_is_left_behind_is_gone_for_the_next_one
        ["SET work_mem = '1MB'", "SELECT 1; SET work_mem = '1MB'", "CREATE TEMP TABLE made ()", "SELECT pg_advisory_lock(4711)",
         "LISTEN made"].each do |sql|
          ours.execute(sql)
          assert PINNED[ours], sql
          Ours.connection_handler.clear_active_connections!
          refute PINNED[ours], sql
        end
        assert_equal "4MB", ours.select_value("SHOW work_mem")
        assert_equal [], psql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711")
      end

      def test_what_ends_with_its_transaction_keeps_nothing
        ["SET LOCAL work_mem = '1MB'", "SET TRANSACTION READ ONLY", "SET CONSTRAINTS ALL DEFERRED", "SAVEPOINT a"].each do |sql|
          Ours.transaction { ours.execute(sql) }
          refute PINNED[ours], sql
        end
      end

      def test_several_statements_that_begin_a_transaction_do_not_open_one_for_others
        with_model("name text") do |model|
          ours.execute("SELECT 1; BEGIN; INSERT INTO #{model.table_name} (name) VALUES ('Ada')")
          assert PINNED[ours]
          ours.execute("ROLLBACK")
          assert_equal 0, model.count
        end
      end

      def test_one_more_connection_costs_no_query_and_no_connection
        Ours.connection_pool.with_connection { |connection| connection.select_value("SELECT 1") }
        queries = []
        subscriber = ActiveSupport::Notifications.subscribe("sql.active_record") { |*, payload| queries << payload[:sql] }
        more = Array.new(20) { Thread.new { Ours.connection_pool.checkout.connect! }.value }
        assert_equal [[], 1], [queries, connections]
        assert_equal 20, more.uniq.size
      ensure
        ActiveSupport::Notifications.unsubscribe(subscriber)
      end

      # All of ActiveRecord's connections are taken before the first one goes back.
      def test_a_thousand_threads_with_a_connection_each
        assert_held(:join) { |work| Thread.new { work.call } }
      end

      def test_a_thousand_fibers_with_a_connection_each
        in_fibers { |task| assert_held(:wait) { |work| task.async { work.call } } }
      end

      # There is one connection for each transaction that is open, and four that the others share.
      def test_two_hundred_fibers_a_quarter_in_transactions_that_stay_open
        connect(server_connections: 4, max_server_connections: 4 + 50, checkout_timeout: PATIENCE)
        with_model("owner int") do |model|
          in_fibers { |task| assert_beside_each_other(task, model) }
          assert_equal [*0...50], model.order(:owner).pluck(:owner)
        end
      end

      def test_two_hundred_fibers_a_quarter_in_transactions_that_wait_for_each_other
        connect(server_connections: 4, max_server_connections: 12, checkout_timeout: PATIENCE)
        with_model("owner int, step int") do |model|
          model.load_schema
          in_fibers { |task| Array.new(200) { |number| task.async { work(model, number) } }.each(&:wait) }
          assert_equal (0...200).select { |number| (number % 4).zero? }.product([1, 2]), model.order(:owner, :step).pluck(:owner, :step)
          assert_operator connections, :<=, 12
        end
      end

      def test_threads
        connect(server_connections: 2, max_server_connections: 6, checkout_timeout: PATIENCE)
        with_model("owner int, step int") do |model|
          model.load_schema
          Array.new(16) { |number| Thread.new { 5.times { |round| work(model, (number * 100) + round) } } }.each(&:join)
          assert_equal 16 * 2 * 2, model.count # two of five rounds
          assert_operator connections, :<=, 6
        end
      end

      # The table stays locked until the short query is answered.
      def test_a_short_query_passes_those_that_were_stopped_in_fibers
        behind_a_lock do |slow, begun|
          in_fibers do |task|
            stopped = Array.new(10) { task.async { slow.call } }
            sleep 0.01 until begun.call
            stopped.each(&:stop)
            assert_equal 1, Ours.connection_pool.with_connection { |other| other.select_value("SELECT 1") }
          end
        end
      end

      def test_a_short_query_passes_those_that_were_stopped_in_threads
        behind_a_lock do |slow, begun|
          stopped = Array.new(10) { Thread.new { slow.call } }
          sleep 0.01 until begun.call
          stopped.each(&:kill).each(&:join)
          assert_equal 1, Ours.connection_pool.with_connection { |other| other.select_value("SELECT 1") }
        end
      end

      def test_a_transaction_that_finds_no_connection_says_so
        connect(server_connections: 1, max_server_connections: 2, checkout_timeout: 0.05)
        ours.execute("BEGIN; SELECT 1")
        error = assert_raises(::ActiveRecord::ConnectionTimeoutError) do
          Thread.new do
            Thread.current.report_on_exception = false
            Ours.connection_pool.with_connection { |other| other.execute("BEGIN; SELECT 1") }
          end.value
        end
        assert_includes error.message, "ActiveRecord"
        assert_equal 1, Thread.new { Ours.connection_pool.with_connection { |other| other.select_value("SELECT 1") } }.value
      ensure
        ours.execute("ROLLBACK")
      end

      def test_no_connection_of_libpqs_is_ever_opened
        before = libpqs
        ours.select_value("SELECT 1")
        assert_empty libpqs - before
      end

      private

      # ActiveRecord's connections have asked for the types beforehand: asked in the midst of it, these short queries of the other callers could stand
      # behind the first slow one, of which nothing is known yet, until the lock is gone, and one caller would wait for that alone.
      #
      # @yieldparam slow [#call] asks for what is locked
      # @yieldparam begun [#call] whether as many wait for it on the server as may at once
      def behind_a_lock
        connect(server_connections: 2, max_server_connections: 4, checkout_timeout: 60)
        connect_stock
        holder = stock
        Array.new(10) { Ours.connection_pool.checkout.tap { |one| one.select_value("SELECT 1") } }.each { |one| Ours.connection_pool.checkin(one) }
        with_model("owner int") do |model|
          locked = "SELECT 1 FROM pg_locks WHERE relation = '#{model.table_name}'::regclass AND NOT granted"
          holder.execute("BEGIN; LOCK TABLE #{model.table_name} IN ACCESS EXCLUSIVE MODE")
          yield -> { Ours.connection_pool.with_connection { |one| one.select_value("SELECT count(*) FROM #{model.table_name}") } },
                -> { holder.select_values(locked).size >= 2 }
        ensure
          holder.execute("ROLLBACK")
        end
      end

      # @param wait [Symbol] for what the block returned
      # @yieldparam work [Proc] to be run by a caller of its own
      def assert_held(wait)
        connect(pool: 1000, server_connections: 4, checkout_timeout: PATIENCE)
        ready, go = Array.new(2) { Thread::Queue.new }
        holders = Array.new(1000) do |number|
          yield(lambda do
            hold(number) { ready.push(number) && go.pop }
          ensure
            ready.push(number) # it has failed, or the reader has ended
          end)
        end
        1000.times { ready.pop }
        assert_equal 1000, Ours.connection_pool.stat[:busy]
        go.close
        holders.each(&wait)
        assert_operator connections, :<=, 16 # more than the 4 only where the server seems held up, as on a busy machine
      end

      # The transactions end when all that is asked beside them is answered.
      def assert_beside_each_other(task, model)
        model.load_schema
        open, over = Array.new(2) { Thread::Queue.new }
        transactions = Array.new(50) { |number| task.async { model.transaction { model.create!(owner: number) && open.push(number) && over.pop } } }
        50.times { open.pop }
        assert_equal Array.new(150, 0), Array.new(150) { task.async { count_apart(model) } }.map(&:wait)
        assert_equal 50, psql("SELECT 1 FROM pg_stat_activity WHERE application_name = '#{@application}' AND state = 'idle in transaction'").size
        assert_operator connections, :<=, 4 + 50
      ensure
        over&.close
        transactions&.each(&:wait)
      end

      def count_apart(model) = Ours.with_connection { model.count }

      # Asks before the block, and after it.
      def hold(number)
        Ours.connection_pool.with_connection do |connection|
          assert_equal number, connection.select_value("SELECT #{number}")
          yield
          assert_equal(-number, connection.select_value("SELECT #{-number}"))
        end
      end

      # Other tests leave some behind.
      def libpqs = ObjectSpace.each_object(::PG::Connection).grep_v(Trunkline::ActiveRecord::Connection)

      def work(model, number)
        return assert_equal(number, Ours.with_connection { |connection| connection.select_value("SELECT #{number}") }) unless (number % 4).zero?

        model.transaction do
          first = model.create!(owner: number, step: 1)
          assert_equal [first.id], model.where(owner: number).pluck(:id)
          model.create!(owner: number, step: 2)
        end
      ensure
        Ours.connection_handler.clear_active_connections!
      end
    end
  end
end
