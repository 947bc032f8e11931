# frozen_string_literal: true

module Shared
  # Writes of many callers that share the wait for the server's disk. The test includes a host.
  module GroupCommits
    include Gated

    def test_each_caller_gets_its_own_answer_and_transaction
      with_table("n int, started timestamptz DEFAULT now()") do |table|
        in_host_with_client(connections: 2, group_commit: true) do |db|
          rows = side_by_side(1..60) { |number| db.query("INSERT INTO #{table} VALUES ($1) RETURNING n, $2::text", number, number.to_s).rows }
          assert_equal (1..60).map { |number| [[number, number.to_s]] }, rows
          assert_equal [60, 60, 60], db.query("SELECT count(*), count(DISTINCT n), count(DISTINCT xmin::text) FROM #{table}").rows.first
          assert_equal 30, side_by_side(1..60) { |number| db.query("UPDATE #{table} SET n = n WHERE n = $1", number * 2).affected_rows }.sum
        end
      end
    end

    def test_many_writes_share_a_flush
      with_writers do |db, table, write|
        before = flushes(db)
        assert_equal (1..200).to_a, side_by_side(1..200, &write)
        assert_includes 1...200, flushes(db) - before, -> { db.stats[:group_commit].inspect }
        assert_equal 200, psql("SELECT n FROM #{table} WHERE n > 0").size
      end
    end

    def test_one_that_fails_fails_alone
      with_writers(", CHECK (n <> 13), UNIQUE (n) DEFERRABLE INITIALLY DEFERRED") do |_, table, write|
        outcomes = side_by_side([1, 2, 13, 3, 4]) { |number| write.call(number) rescue $!.class }
        assert_equal [1, 2, Trunkline::CheckViolation, 3, 4], outcomes
        outcomes = side_by_side([5, 5, 6]) { |number| write.call(number) rescue $!.class }
        assert_equal [5, 6, Trunkline::UniqueViolation], outcomes.sort_by(&:to_s)
        assert_equal %w[1 2 3 4 5 6], psql("SELECT n FROM #{table} WHERE n > 0 ORDER BY 1")
      end
    end

    # What a trigger of one write sets until the end of its transaction is not there for any other.
    def test_no_write_runs_with_the_role_or_settings_of_another
      with_table("tenant text DEFAULT coalesce(current_setting('group_commit.tenant', true), ''), ran_as text DEFAULT current_user, n int") do |table|
        psql("CREATE FUNCTION #{table}_f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.n % 2 = 0 THEN " \
             "PERFORM set_config('group_commit.tenant', NEW.n::text, true), set_config('role', 'pg_monitor', true); END IF; RETURN NULL; END $$; " \
             "CREATE TRIGGER leaves AFTER INSERT ON #{table} FOR EACH ROW EXECUTE FUNCTION #{table}_f()")
        in_host_with_client(connections: 1, group_commit: true) do |db|
          insert = "INSERT INTO #{table} (n) VALUES ($1) RETURNING tenant, ran_as"
          assert_equal [["", "postgres"]], side_by_side(1..40) { |number| db.query(insert, number).rows.first }.uniq
        end
      ensure
        psql("DROP FUNCTION IF EXISTS #{table}_f() CASCADE")
      end
    end

    def test_settings_and_roles_go_with_a_write_that_shares_its_flush
      with_writers(", seen text DEFAULT current_setting('app.tenant', true)") do |db, table, _|
        seen = side_by_side(1..10) do |number|
          db.query("INSERT INTO #{table} (n) VALUES ($1) RETURNING seen", number, settings: { "app.tenant" => number }, group_commit: true).value
        end
        assert_equal (1..10).map(&:to_s), seen
      end
    end

    # Each statement of it has a commit of its own, and none waits for the disk but the flush.
    def test_a_batch_has_one_flush
      with_writers do |db, table, _|
        before = flushes(db)
        results = db.batch { |batch| (1..50).each { |number| batch.query("INSERT INTO #{table} (n) VALUES ($1) RETURNING n", number) } }
        assert_equal (1..50).to_a, results.map(&:value)
        assert_equal 1, flushes(db) - before
        error = assert_raises(Trunkline::DivisionByZero) { db.batch { |batch| batch.query("INSERT INTO #{table} (n) VALUES (51)").query("DELETE FROM #{table} WHERE n = 1/0") } }
        assert_equal 1, error.batch.first.affected_rows
        assert_equal 2, flushes(db) - before
      end
    end

    def test_a_lone_write_flushes_by_its_own_commit
      with_table("n int") do |table|
        in_host_with_client(connections: 1, group_commit: true) do |db|
          3.times { |number| db.query("INSERT INTO #{table} VALUES ($1)", number) }
          assert_equal [0, 0], [flushes(db), db.stats[:group_commit][:opened]]
        end
      end
    end

    def test_a_write_whose_connection_is_lost
      with_gated_writers do |db, table, proxy, write|
        callers = held_together(proxy, write, [1, 2, 3])
        proxy.disconnect
        callers.each { |caller| assert_kind_of Trunkline::Indeterminate, caller.error }
        proxy.release(:answers)
        assert_equal [5, 6], side_by_side([5, 6], &write)
        assert_equal 2, psql("SELECT n FROM #{table} WHERE n > 3").size
      end
    end

    def test_a_caller_that_leaves_stops_no_other
      [0, 1, 2, 3].each do |goes|
        with_gated_writers do |_, table, proxy, write|
          callers = held_together(proxy, write, [1, 2, 3, 4])
          callers[goes].cancel(Interruptions::Cancelled.new)
          assert_kind_of Interruptions::Cancelled, callers[goes].error
          proxy.release(:answers)
          left = [0, 1, 2, 3] - [goes]
          assert_equal left.map { |at| at + 1 }, callers.values_at(*left).map(&:value)
          assert_equal left.map { |at| (at + 1).to_s }, psql("SELECT n FROM #{table} WHERE n > 0 AND n <> #{goes + 1} ORDER BY 1")
        end
      end
    end

    # They would share a flush if they were not told otherwise.
    def test_writes_that_are_to_have_commits_of_their_own
      with_writers do |db, table, _|
        before = flushes(db)
        insert = "INSERT INTO #{table} VALUES ($1) RETURNING n"
        ways = [->(number) { db.value(insert, number, group_commit: false) }, ->(number) { db.query(insert, number, deadline: 60, group_commit: false).value },
                ->(number) { db.with(group_commit: false).value(insert, number) }, ->(number) { db.first(insert, number, group_commit: false)["n"] },
                ->(number) { db.async(insert, number).value.value }, ->(number) { db.transaction { |tx| tx.value(insert, number) } }]
        assert_equal (0..5).to_a, side_by_side(0..5) { |number| ways[number].call(number) }
        assert_equal before, flushes(db)
      end
    end

    def test_writes_that_cannot_share_a_flush_as_they_were_told
      in_host_with_client do |db|
        error = assert_raises(ArgumentError) { db.async("SELECT 1", group_commit: true) }
        assert_match(/as query does/, error.message)
        assert_raises(ArgumentError) { db.query("SELECT 1", group_commit: :perhaps) }
        assert_raises(ArgumentError) { db.with(group_commit: 1) }
      end
    end

    def test_what_is_sent_as_usual
      with_writers do |db, table, _|
        before = flushes(db)
        side_by_side(0..3) { |number| number.odd? ? db.query("VACUUM #{table}", group_commit: true) : db.query("/* a */ -- b\n SELECT n FROM #{table}") }
        assert_raises(Trunkline::SharedStateError) { db.query("SET a.b = 1", group_commit: true) }
        assert_equal before, flushes(db)
      end
    end

    # The table is another one than the statement was prepared for.
    def test_outdated_statements
      with_writers do |_, table, write|
        psql("ALTER TABLE #{table} ALTER n TYPE bigint")
        assert_equal [1, 2, 3], side_by_side([1, 2, 3], &write)
        assert_equal %w[1 2 3], psql("SELECT n FROM #{table} WHERE n > 0 ORDER BY 1")
      end
    end

    private

    # @yieldparam write [#call] writes the number, and returns it
    def with_writers(columns = "")
      with_table("n int#{columns}") do |table|
        in_host_with_client(connections: 1, group_commit: true) do |db|
          yield db, table, opened(db, writing(db, table))
        end
      end
    end

    def with_gated_writers
      with_table("n int") do |table|
        gated(group_commit: true) { |db, proxy| yield db, table, proxy, opened(db, writing(db, table)) }
      end
    end

    def writing(db, table) = ->(number) { db.value("INSERT INTO #{table} (n) VALUES ($1) RETURNING n", number) }

    # Writes until the connections are there on which writes share their flush, and are used: where one could not be opened, each write has a
    # commit of its own for half a minute. A lone write needs none.
    def opened(db, write)
      number = rounds = 0
      until rounds == 2
        before = flushes(db)
        side_by_side(1..4) { write.call(number -= 1) }
        rounds = flushes(db) > before ? rounds + 1 : 0
      end
      write
    end

    # Sends the first over the usual connection, and the others over theirs; nothing is answered.
    #
    # @return [Array<Caller>]
    def held_together(proxy, write, numbers) = in_flight(proxy, *numbers.map { |number| -> { write.call(number) } })

    # @return [Integer] flushes that were answered
    def flushes(db) = db.stats[:statements].sum { |sql, figures| sql.include?("pg_logical_emit_message") ? figures[:count] : 0 }
  end
end
