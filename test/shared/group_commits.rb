# frozen_string_literal: true

module Shared
  # Writes of many callers that share their commits. The test includes a host.
  module GroupCommits
    include Gated

    def test_everybody_gets_his_own_answer
      with_table("n int") do |table|
        in_host_with_client(connections: 2, group_commit: true) do |db|
          rows = side_by_side(1..60) { |number| db.query("INSERT INTO #{table} VALUES ($1) RETURNING n, $2::text", number, number.to_s).rows }
          assert_equal (1..60).map { |number| [[number, number.to_s]] }, rows
          assert_equal [60, 60], db.query("SELECT count(*), count(DISTINCT n) FROM #{table}").rows.first
          assert_equal 30, side_by_side(1..60) { |number| db.query("UPDATE #{table} SET n = n WHERE n = $1", number * 2).affected_rows }.sum
        end
      end
    end

    # One is on its way; those that come meanwhile go together.
    def test_who_comes_meanwhile_shares_a_commit
      with_group do |_, table, proxy, write|
        callers = written_together(proxy, write, [1, 2, 3, 4])
        proxy.release(:answers)
        assert_equal [1, 2, 3, 4], callers.map(&:value)
        assert_equal [1, 3], psql("SELECT count(*) FROM #{table} GROUP BY xmin::text ORDER BY 1").map(&:to_i)
      end
    end

    def test_a_hundred_and_no_more_share_a_commit
      with_group do |_, table, proxy, write|
        callers = written_together(proxy, write, (1..221).to_a)
        proxy.release(:answers)
        assert_equal (1..221).to_a, callers.map(&:value)
        assert_equal [1, 20, 100, 100], psql("SELECT count(*) FROM #{table} GROUP BY xmin::text ORDER BY 1").map(&:to_i)
      end
    end

    def test_one_that_fails_fails_alone
      with_group(", CHECK (n <> 13), UNIQUE (n)") do |_, table, proxy, write|
        callers = written_together(proxy, write, [1, 2, 13, 3, 1, 4])
        proxy.release(:answers)
        assert_equal [1, 2, Trunkline::CheckViolation, 3, Trunkline::UniqueViolation, 4], callers.map { |caller| caller.error&.class || caller.value }
        assert_equal %w[1 2 3 4], psql("SELECT n FROM #{table} ORDER BY 1")
      end
    end

    def test_one_that_fails_at_the_end_fails_alone
      with_group(", UNIQUE (n) DEFERRABLE INITIALLY DEFERRED") do |_, table, proxy, write|
        callers = written_together(proxy, write, [1, 2, 1, 3])
        proxy.release(:answers)
        assert_equal [1, 2, Trunkline::UniqueViolation, 3], callers.map { |caller| caller.error&.class || caller.value }
        assert_equal %w[1 2 3], psql("SELECT n FROM #{table} ORDER BY 1")
      end
    end

    def test_a_group_whose_connection_is_lost
      with_group do |db, _, proxy, write|
        callers = written_together(proxy, write, [1, 2, 3])
        proxy.release(:answers)
        callers.each(&:value)
        callers = written_together(proxy, write, [4])
        proxy.disconnect
        assert_kind_of Trunkline::Indeterminate, callers.first.error
        proxy.release(:answers)
        assert_equal 5, write.call(5)
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_whoever_goes_leaves_the_others_to_go_on
      [1, 2, 3].each do |goes|
        with_group do |_, table, proxy, write|
          callers = written_together(proxy, write, [1, 2, 3, 4])
          callers[goes].cancel(Interruptions::Cancelled.new)
          assert_kind_of Interruptions::Cancelled, callers[goes].error
          proxy.release(:answers)
          left = [0, 1, 2, 3] - [goes]
          assert_equal left.map { |at| at + 1 }, callers.values_at(*left).map(&:value)
          assert_equal left.map { |at| (at + 1).to_s }, psql("SELECT n FROM #{table} ORDER BY 1")
        end
      end
    end

    def test_the_first_leader_goes
      with_group do |_, table, proxy, write|
        callers = written_together(proxy, write, [1, 2, 3])
        callers.first.cancel(Interruptions::Cancelled.new)
        assert_kind_of Interruptions::Cancelled, callers.first.error
        proxy.release(:answers)
        assert_equal [2, 3], callers.drop(1).map(&:value)
        assert_equal 3, psql("SELECT n FROM #{table}").size
        assert_equal 5, write.call(5)
      end
    end

    def test_a_deadline_within_a_group
      with_group do |db, table, proxy, write|
        callers = written_together(proxy, write, [1])
        error = assert_raises(Trunkline::Deadline) { db.query("INSERT INTO #{table} VALUES (2)", group_commit: true, deadline: 0.05) }
        refute error.sent?
        proxy.release(:answers)
        assert_equal [1, 3], [callers.first.value, write.call(3)]
        assert_equal %w[1 3], psql("SELECT n FROM #{table} ORDER BY 1")
      end
    end

    # They would share it if they were not told otherwise.
    def test_writes_that_are_to_have_commits_of_their_own
      with_group(client: true) do |db, table, proxy, _|
        insert = "INSERT INTO #{table} VALUES ($1) RETURNING n"
        ways = [->(number) { db.value(insert, number, group_commit: false) }, ->(number) { db.query(insert, number, deadline: 60, group_commit: false).value },
                ->(number) { db.with(group_commit: false).value(insert, number) }, ->(number) { db.first(insert, number, group_commit: false)["n"] },
                ->(number) { db.async(insert, number, group_commit: false).value.value }]
        callers = written_together(proxy, ->(number) { ways[number].call(number) }, [0, 1, 2, 3, 4])
        proxy.release(:answers)
        assert_equal [0, 1, 2, 3, 4], callers.map(&:value)
        assert_equal 5, psql("SELECT DISTINCT xmin::text FROM #{table}").size
      end
    end

    def test_writes_that_cannot_share_a_commit_as_they_were_told
      in_host_with_client do |db|
        error = assert_raises(ArgumentError) { db.async("SELECT 1", group_commit: true) }
        assert_match(/as query does/, error.message)
        assert_raises(ArgumentError) { db.query("SELECT 1", group_commit: :perhaps) }
        assert_raises(ArgumentError) { db.with(group_commit: 1) }
      end
    end

    def test_what_does_not_share_its_commit
      with_table("n int") do |table|
        in_host_with_client(connections: 1, group_commit: true) do |db|
          db.query("INSERT INTO #{table} VALUES (1)")
          db.transaction { |tx| tx.query("INSERT INTO #{table} VALUES (2)") && db.query("INSERT INTO #{table} VALUES (3)") && tx.rollback }
          db.with(settings: { "app.tenant" => 7 }).query("INSERT INTO #{table} VALUES (current_setting('app.tenant')::int)", group_commit: true)
          db.query("VACUUM #{table}", group_commit: true)
          assert_equal [1, 7], db.query("/* a */ -- b\n SELECT n FROM #{table} ORDER BY 1").rows.flatten
          assert_raises(Trunkline::SharedStateError) { db.query("SET a.b = 1", group_commit: true) }
        end
      end
    end

    # The table is another one than the statement was prepared for.
    def test_a_group_with_an_outdated_statement
      with_group do |_, table, proxy, write|
        psql("ALTER TABLE #{table} ALTER n TYPE bigint")
        callers = written_together(proxy, write, [1, 2, 3])
        proxy.release(:answers)
        assert_equal [1, 2, 3], callers.map(&:value)
        assert_equal %w[1 2 3], psql("SELECT n FROM #{table} ORDER BY 1")
      end
    end

    private

    # @param client [Boolean] whether all its writes share
    # @yieldparam write [#call] writes the number, and returns it
    def with_group(constraints = "", client: false)
      with_table("n int#{constraints}") do |table|
        gated(group_commit: client) do |db, proxy|
          write = ->(number) { db.value("INSERT INTO #{table} VALUES ($1) RETURNING n", number, group_commit: true) }
          write.call(0)
          psql("DELETE FROM #{table}")
          yield db, table, proxy, write
        end
      end
    end

    # The first is on its way, and the others wait.
    #
    # @return [Array<Caller>]
    def written_together(proxy, write, numbers)
      first, = in_flight(proxy, -> { write.call(numbers.first) })
      others = numbers.drop(1).map { |number| later { write.call(number) } }
      others.each { |caller| Thread.pass until !caller.body.is_a?(Thread) || caller.body.stop? }
      [first, *others]
    end
  end
end
