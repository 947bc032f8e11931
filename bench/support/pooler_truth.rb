# frozen_string_literal: true

require "trunkline"
require_relative "measure"

module Trunkline
  module Bench
    # What goes wrong, and what is said of it, where a pooler gives each transaction another server session. Each row is asked of a client, while another
    # client of the same address is at work: it is right, an error that says what to do, or wrong in silence.
    class PoolerTruth
      RIGHT = "right"
      WRONG = "WRONG"
      TABLE = "pooler_truth"
      OTHERS = 2 # connections of others
      # What each row does, and what is right of it.
      ROWS = {
        "200 transactions at once, half of them rolled back" => :transactions, "settings: and role: of 1,000 queries at once" => :settings,
        "what remains of these for others" => :remains_of_settings, "session: SET, read 20 times" => :setting, "others that see it" => :seen_by_others,
        "session: a temporary table, filled 10 times" => :temporary_table, "session: an advisory lock, taken by two at once" => :lock,
        "locks left behind" => :locks_left, "session: a cursor WITH HOLD" => :cursor, "LISTEN, and 5 notifications" => :notifications,
        "a cancel, behind which 20 queries wait" => :cancel, "a deadline" => :deadline, "what is left of both on the server" => :sleepers,
        "20,000 rows streamed, 1,000 copied in" => :streamed_and_copied
      }.freeze
      # Rows that nothing but a session of the server can do: behind a pooler an error is right, too.
      OF_SESSIONS = ROWS.keys.grep(/\Asession: |\ALISTEN/).freeze
      private_constant :TABLE, :OTHERS

      # @param server [PostgresServer]
      # @param uri [String] that leads to it, through a pooler or not
      # @param options of Trunkline.postgres
      # @return [Hash{String => String}] {RIGHT}, the name of an error, or {WRONG} with what was seen, by row
      def self.of(server, uri, **options)
        server.psql("DROP TABLE IF EXISTS #{TABLE}; CREATE TABLE #{TABLE} (id int PRIMARY KEY, by text);
                     DO $$ BEGIN CREATE ROLE web; EXCEPTION WHEN duplicate_object THEN END $$; GRANT ALL ON #{TABLE} TO web")
        Trunkline.postgres(uri, connections: 4, max_connections: 8, **options) do |db|
          Trunkline.postgres(uri, connections: OTHERS, **options) { |other| new(server, db, other).rows }
        end
      end

      def initialize(server, db, other)
        @server = server
        @db = db
        @other = other
      end

      # @return [Hash{String => String}] see {of}
      def rows = beside_others { ROWS.transform_values { |row| outcome(row) } }

      private

      def outcome(row)
        seen = send(row)
        seen == true ? RIGHT : "#{WRONG} #{seen.inspect}"
      rescue SharedStateError => error
        error.class.name.split("::").last
      end

      # Server sessions are given to and fro all the time.
      def beside_others
        asking = true
        threads = Array.new(OTHERS) { Thread.new { @other.value("SELECT pg_sleep(0.001)") while asking } }
        yield
      ensure
        asking = false
        threads.each(&:join)
      end

      def at_once(count) = Array.new(count) { |number| Thread.new { yield number } }.map(&:value)

      def transactions
        at_once(200) do |number|
          @db.transaction do |transaction|
            transaction.query("INSERT INTO #{TABLE} VALUES ($1)", number)
            raise Rollback if number.odd?
          end
        end
        is(100, @server.psql("SELECT count(*) FROM #{TABLE}").to_i)
      end

      def settings
        role = ->(number) { number.even? ? "web" : "postgres" }
        sql = "SELECT current_setting('app.tenant') || ' ' || current_user"
        seen = Array.new(1000) { |number| @db.with(settings: { "app.tenant" => number.to_s }, role: role[number]).async(sql) }.map { |future| future.value.value }
        is(Array.new(1000) { |number| "#{number} #{role[number]}" }, seen)
      end

      def remains_of_settings = is([["", "postgres"]], Array.new(40) { @other.query("SELECT coalesce(current_setting('app.tenant', true), ''), current_user::text").rows.first }.uniq)

      def setting
        @db.session do |session|
          session.query("SET app.leak = 'mine'")
          is(["mine"], Array.new(20) { session.value("SELECT current_setting('app.leak', true)") }.uniq)
        end
      end

      def seen_by_others = is([""], Array.new(40) { @other.value("SELECT current_setting('app.leak', true)").to_s }.uniq)

      def temporary_table
        @db.session do |session|
          session.query("CREATE TEMP TABLE of_a_session (i int)")
          10.times { session.query("INSERT INTO of_a_session VALUES (1)") }
          is(10, session.value("SELECT count(*) FROM of_a_session"))
        end
      end

      def lock
        @db.session do |one|
          one.value("SELECT pg_try_advisory_lock(7)")
          is(false, @other.session { |two| two.value("SELECT pg_try_advisory_lock(7)") })
        end
      end

      def locks_left = is(0, @server.psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").to_i)

      def cursor
        @db.session do |session|
          session.query("DECLARE kept CURSOR WITH HOLD FOR SELECT generate_series(1, 10)")
          is((1..10).to_a, Array.new(10) { session.query("FETCH kept").value.to_i })
        end
      end

      def notifications
        subscription = @db.listen("jobs")
        5.times { |number| @other.notify("jobs", number.to_s) }
        is(%w[0 1 2 3 4], Array.new(5) { subscription.wait(5)&.payload })
      ensure
        subscription&.close
      end

      def cancel
        slow = @db.async("SELECT pg_sleep(30)")
        behind = Array.new(20) { |number| @db.async("SELECT $1::int", number) }
        slow.cancel
        is([true, (0..19).to_a], [cancelled?(slow), behind.map { |future| future.value.value }])
      end

      def cancelled?(future)
        future.value
        false
      rescue Cancelled
        true
      end

      def deadline
        @db.value("SELECT pg_sleep(30)", deadline: 0.2)
      rescue Deadline
        true
      end

      # The server may still be ending them.
      def sleepers
        sql = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()"
        finish = Measure.now + 10
        nil until (left = @server.psql(sql).to_i).zero? || Measure.now > finish
        is(0, left)
      end

      def streamed_and_copied
        count = 0
        @db.stream("SELECT generate_series(1, 20000)") { count += 1 }
        is([20_000, 1000], [count, @db.copy_in("COPY #{TABLE} FROM STDIN") { |copy| 1000.times { |number| copy << [1000 + number, "x"] } }])
      end

      # @return [true, Hash] true, or what was seen in its place
      def is(wanted, seen) = seen == wanted || { seen: seen }
    end
  end
end
