# frozen_string_literal: true

module Shared
  # Queries whose deadline passes while the server works on them: it ends them too. The test includes a host.
  module EndingLate
    include Gated
    include Leeway

    # Long, though its statement has always been short: the server does not end it by itself.
    def test_a_deadline_of_a_short_statement_that_takes_long
      ending_on_the_server do |db|
        30.times { db.query("SELECT pg_sleep($1)", 0) }
        late_after_sending { db.query("SELECT pg_sleep($1)", 1000, deadline: 0.1) }
      end
    end

    # Each finds the connection as another caller has left it that was late before.
    def test_deadlines_of_several_one_after_the_other
      ending_on_the_server(prepare: false) do |db|
        side_by_side([0.2, 0.5, 0.5, 0.8]) { |seconds| assert_raises(Trunkline::Deadline) { db.query(ENDLESS, deadline: seconds) } }
      end
    end

    def test_a_deadline_on_a_connection_that_is_to_end
      ending_on_the_server(prepare: false) do |db, name|
        late = later { assert_raises(Trunkline::Deadline) { db.query(ENDLESS, deadline: 1) } }
        eventually { late.done? || works_for?(name) }
        db.disconnect
        late.value
      end
    end

    def test_a_deadline_of_a_statement_that_is_not_known
      ending_on_the_server do |db|
        late_after_sending { db.query(ENDLESS, deadline: 0.1) }
        assert_equal "0", db.value("SHOW statement_timeout")
      end
    end

    # Nothing may stand before it in its unit, so the server is asked to end it.
    def test_a_deadline_of_a_statement_that_must_be_alone
      with_table("id int") do |table|
        in_host_with_client(connections: 2, max_connections: 4) do |db|
          2.times { assert_empty db.query("VACUUM #{table}", deadline: 60).rows }
          locked = Thread::Queue.new
          other = later { locked.pop && db.query("VACUUM #{table}", deadline: 0.1) }
          db.session do |session|
            session.query("BEGIN")
            session.query("LOCK TABLE #{table} IN ACCESS EXCLUSIVE MODE")
            locked << true
            assert_kind_of Trunkline::Deadline, other.error
            session.query("COMMIT")
          end
          assert_empty db.query("VACUUM #{table}").rows
        end
      end
    end

    # An earlier limit of the server's stays, and its end is not called a deadline.
    def test_a_limit_that_the_server_has_already
      in_host_with_client(connections: 1) do |db|
        db.session do |session|
          database, user = session.query("SELECT current_database(), current_user").rows.first
          psql("ALTER ROLE #{user} IN DATABASE #{database} SET statement_timeout = '1s'")
          Trunkline.postgres(postgres_server.uri, connections: 1) do |limited|
            assert_equal "1s", limited.value("SHOW statement_timeout", deadline: 60)
            assert_raises(Trunkline::QueryCanceled) { limited.query(ENDLESS, deadline: 60) }
          end
        ensure
          psql("ALTER ROLE #{user} IN DATABASE #{database} RESET statement_timeout")
        end
      end
    end

    def test_a_deadline_around_a_transaction
      with_table("id int") do |table|
        in_host_with_client(connections: 1) do |db|
          late_after_sending do
            Trunkline.deadline(0.2) { db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (1)") && tx.query(ENDLESS) } }
          end
          assert_equal [0, 1], [db.value("SELECT count(*) FROM #{table}"), (db.transaction { |tx| tx.value("SELECT 1") })]
        end
      end
    end

    private

    # The connection serves afterwards, and the server works for no caller that has gone.
    #
    # @yieldparam db [Trunkline::Postgres::Client] of one connection
    # @yieldparam name [String] its application_name
    def ending_on_the_server(**options)
      name = unique_name
      in_host_with_client(connections: 1, application_name: name, **options) do |db|
        with_much_leeway { yield db, name }
        assert_equal 1, ask(db, 1)
        assert_no_query_runs(name)
      end
    end
  end
end
