# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # State of a session in the shapes in which applications use it: 20 threads write 200 rows over at most five connections of the server's, the
    # database itself writes down which user it sees, and the stock adapter does the same beside it, with a connection for each thread.
    class ApplicationShapesTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      THREADS = 20
      ROWS = 10
      FEW = { session_functions: "detect", server_connections: 2, max_server_connections: 5, checkout_timeout: 120 }.freeze
      # By writer: rows, and how many of them name another user.
      OWN = (1..THREADS).to_h { |n| ["u#{n}", [ROWS, 0]] }.freeze
      private_constant :THREADS, :ROWS, :FEW, :OWN

      def setup
        super
        @schema = "shapes_#{SecureRandom.hex(4)}"
        psql("CREATE SCHEMA #{@schema}")
      end

      def teardown
        super
        psql("SET client_min_messages = error; DROP SCHEMA #{@schema} CASCADE")
      end

      # Each request names its user by a function of the application's, outside of a transaction, and a trigger reads that name.
      def test_audit_triggers_name_the_user_of_the_request
        audited_notes
        both do |base|
          requests(base) do |connection, user|
            connection.execute("SELECT begin_request('#{user}')")
            ROWS.times { connection.execute("INSERT INTO notes (writer) VALUES ('#{user}')") }
          end
          assert_equal OWN, named("actor")
        end
      end

      # The same within a transaction, where the name ends with it.
      def test_audit_triggers_name_the_user_of_the_transaction
        audited_notes
        both do |base|
          requests(base) do |connection, user|
            ROWS.times do
              connection.transaction do
                connection.execute("SET LOCAL app.actor = '#{user}'")
                connection.execute("INSERT INTO notes (writer) VALUES ('#{user}')")
              end
            end
          end
          assert_equal OWN, named("actor")
        end
      end

      # The role is none that row security does not apply to. A row of another tenant's cannot be written, and is not seen.
      def test_row_security_shows_each_tenant_its_own_rows
        role = "tenants_of_#{@schema}"
        psql("CREATE ROLE #{role} LOGIN; GRANT USAGE ON SCHEMA #{@schema} TO #{role}; SET search_path = #{@schema}; " \
             "CREATE TABLE notes (writer text, tenant text DEFAULT current_setting('app.tenant')); ALTER TABLE notes ENABLE ROW LEVEL SECURITY; " \
             "CREATE POLICY own ON notes USING (tenant = current_setting('app.tenant', true)); GRANT ALL ON notes TO #{role}")
        both(username: role) do |base|
          seen = requests(base) do |connection, user|
            connection.execute("SET app.tenant = '#{user}'")
            ROWS.times { connection.execute("INSERT INTO notes (writer) VALUES ('#{user}')") }
            connection.select_rows("SELECT tenant, count(*) FROM notes GROUP BY 1")
          end
          assert_equal OWN.keys.map { |user| [[user, ROWS]] }, seen
          assert_equal OWN, named("tenant")
        end
      ensure
        psql("DROP OWNED BY #{role}; DROP ROLE #{role}")
      end

      # The model's statements are the same text for all tenants, and prepared.
      def test_tenants_by_search_path_write_into_their_own_schemas
        schemas = OWN.keys.to_h { |user| [user, "#{@schema}_#{user}"] }
        psql(schemas.values.map { |name| "CREATE SCHEMA #{name}; CREATE TABLE #{name}.notes (id serial, writer text)" }.join(";"))
        both do |base|
          model = Class.new(base) { self.table_name = "notes" }
          model.define_singleton_method(:name) { "Note" }
          psql("CREATE TABLE #{@schema}.notes (LIKE #{schemas["u1"]}.notes)")
          model.load_schema
          counts = requests(base) do |connection, user|
            connection.schema_search_path = schemas[user]
            ROWS.times { model.create!(writer: user) }
            [model.where(writer: user).count, model.count]
          ensure
            connection.schema_search_path = @schema
          end
          assert_equal [[ROWS, ROWS]] * THREADS, counts
          psql("DROP TABLE #{@schema}.notes; #{schemas.values.map { |name| "TRUNCATE #{name}.notes" }.join(";")}")
        end
      ensure
        psql("SET client_min_messages = error; #{schemas.values.map { |name| "DROP SCHEMA #{name} CASCADE" }.join(";")}")
      end

      # A function takes the lock, another one gives it back, and in between the application reads, adds one, and writes.
      def test_advisory_locks_in_functions_let_one_caller_in_at_a_time
        key = rand(1 << 30)
        psql("SET search_path = #{@schema}; CREATE TABLE notes (number int, writer text); " \
             "CREATE FUNCTION enter_numbering() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(#{key}); END $$; " \
             "CREATE FUNCTION leave_numbering() RETURNS bool LANGUAGE sql AS $$ SELECT pg_advisory_unlock(#{key}) $$")
        both do |base|
          left = requests(base) { |connection, user| Array.new(ROWS) { number(connection, user) } }
          assert_equal [[true] * ROWS] * THREADS, left
          assert_equal [*1..(THREADS * ROWS)], base.lease_connection.select_values("SELECT number FROM notes ORDER BY number")
          assert_empty psql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = #{key}")
        end
      end

      private

      # The trigger knows the user by the setting alone; what stands in writer is what it is compared with.
      def audited_notes
        psql("SET search_path = #{@schema}; CREATE TABLE notes (writer text, actor text); " \
             "CREATE FUNCTION begin_request(name text) RETURNS void LANGUAGE plpgsql " \
             "AS $$ BEGIN PERFORM set_config('app.actor', name, false); END $$; CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql " \
             "AS $$ BEGIN NEW.actor := current_setting('app.actor', true); RETURN NEW; END $$; " \
             "CREATE TRIGGER audit BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION audit()")
      end

      # Runs the block with each adapter's base class, on an empty table.
      def both(**options)
        options = { schema_search_path: @schema, **options }
        connect_stock(**options)
        connect(**FEW, **options)
        [Stock, Ours].each do |base|
          yield base
          psql("DO $$ BEGIN IF to_regclass('#{@schema}.notes') IS NOT NULL THEN TRUNCATE #{@schema}.notes; END IF; END $$")
        end
      end

      # @return [Array] what the block returns for each user, in a thread of its own
      def requests(base)
        OWN.keys.map { |user| Thread.new { base.with_connection { |connection| yield(connection, user) } } }.map(&:value)
      end

      def number(connection, user)
        connection.execute("SELECT enter_numbering()")
        last = connection.select_value("SELECT coalesce(max(number), 0) FROM notes")
        connection.execute("INSERT INTO notes (number, writer) VALUES (#{last + 1}, '#{user}')")
        connection.select_value("SELECT leave_numbering()")
      end

      # @return [Hash{String => Array(Integer, Integer)}] by writer: rows, and those whose column names another one
      def named(column)
        psql("SELECT writer, count(*), count(*) FILTER (WHERE #{column} IS DISTINCT FROM writer) FROM #{@schema}.notes GROUP BY 1;")
          .map { |line| line.split("|") }.to_h { |writer, *counts| [writer, counts.map(&:to_i)] }
      end
    end
  end
end
