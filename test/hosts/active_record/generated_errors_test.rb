# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/failing_statements"

module Hosts
  module ActiveRecord
    # Errors are the stock adapter's to the letter, whatever fails and however it was sent: their classes, messages, statements and values, and the same of
    # their causes with each field that the server has sent. An ArgumentError, for text with a NUL character, names the parameter here.
    class GeneratedErrorsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      STATEMENTS = 300
      # How a statement is sent, with its parameters and without.
      WAYS = {
        "execute" => ->(connection, sql, _) { connection.execute(sql) },
        "unprepared" => ->(connection, sql, values) { connection.exec_query(sql, "SQL", values, prepare: false) },
        "prepared" => ->(connection, sql, values) { connection.exec_query(sql, "SQL", values, prepare: true) },
        "select" => ->(connection, sql, values) { connection.select_all(sql, "Own", values) },
        "update" => ->(connection, sql, values) { connection.exec_update(sql, "Own", values) },
        "in a transaction" => ->(connection, sql, values) { connection.transaction { connection.exec_query(sql, "SQL", values) } },
        "in a savepoint" => ->(connection, sql, values) { connection.transaction { connection.transaction(requires_new: true) { connection.exec_query(sql, "SQL", values) } } }
      }.freeze
      # But the place in the server's own source, which depends on the message that a statement was sent in.
      FIELDS = (::PG.constants.grep(/\APG_DIAG_/) - %i[PG_DIAG_SOURCE_FILE PG_DIAG_SOURCE_LINE PG_DIAG_SOURCE_FUNCTION]).map { |name| ::PG.const_get(name) }.freeze
      # A position as libpq shows it if it does not know the statement, and as it does otherwise.
      AT_CHARACTER = / at character \d+$/
      MARKED_LINE = /\nLINE \d+: .*\n *\^$/
      # Calls of a model that fail, by what an application does.
      CALLS = {
        "not unique" => ->(model) { model.create!(id: 1, name: "a") }, "not null" => ->(model) { model.create!(id: 5, name: nil) }, "too long" => ->(model) { model.create!(id: 5, code: "abcd") },
        "check" => ->(model) { model.create!(id: 5, age: -1) }, "foreign key" => ->(model) { model.create!(id: 5, parent: 77) }, "taken" => ->(model) { model.create!(id: 5, tag: "taken") },
        "many" => ->(model) { model.insert_all!([{ id: 6, name: "a" }, { id: 1, name: "b" }]) }, "upsert" => ->(model) { model.upsert_all([{ id: 6, name: "a" }, { id: 6, name: "b" }]) },
        "update_all" => ->(model) { model.update_all(name: nil) }, "update" => ->(model) { model.first.update!(amount: 1000) }, "out of range" => ->(model) { model.create!(id: 5, small: 40_000) },
        "referenced" => ->(model) { model.transaction { model.create!(id: 8, parent: 1) && model.find(1).destroy } }, "no column" => ->(model) { model.where("nothing = 1").to_a },
        "pluck" => ->(model) { model.pluck(Arel.sql("nothing")) }, "order" => ->(model) { model.order(Arel.sql("nam")).first }, "group" => ->(model) { model.group(:name).select(:id).to_a },
        "join" => ->(model) { model.joins("JOIN nothing ON true").count }, "two of a name" => ->(model) { model.joins("JOIN #{model.table_name} other ON true").where("id = 1").to_a },
        "calculation" => ->(model) { model.sum(Arel.sql("1 / (id - id)")) }, "find_by_sql" => ->(model) { model.find_by_sql("SELEC 1") }, "bind" => ->(model) { model.find_by_sql(["SELECT ?::int", "x"]) },
        "lock" => ->(model) { model.transaction { model.lock("FOR NOTHING").find(1) } }, "failed transaction" => lambda do |model|
          model.transaction do
            begin
              model.where("nothing = 1").to_a
            rescue ::ActiveRecord::StatementInvalid
              nil
            end
            model.find(1)
          end
        end,
        "read only" => ->(model) { model.transaction { model.lease_connection.execute("SET TRANSACTION READ ONLY") && model.create!(id: 5) } },
        "isolation of a nested one" => ->(model) { model.transaction { model.count && model.transaction(requires_new: true, isolation: :serializable) { nil } } },
        "add_column" => ->(model) { model.lease_connection.add_column(model.table_name, :name, :integer) }, "add_index" => ->(model) { model.lease_connection.add_index(model.table_name, :nothing) },
        "drop_table" => ->(model) { model.lease_connection.drop_table(:nothing) }, "rename" => ->(model) { model.lease_connection.rename_column(model.table_name, :nothing, :more) },
        "add_foreign_key" => ->(model) { model.lease_connection.add_foreign_key(model.table_name, :nothing) }, "a time-out" => ->(model) { model.transaction { model.lease_connection.execute("SET LOCAL statement_timeout = 1") && model.lease_connection.execute("SELECT pg_sleep(60)") } },
        "bytes" => ->(model) { model.create!(id: 5, name: "a\0b") }, "wrong text" => ->(model) { model.where("name = '\xFF'").to_a }
      }.freeze
      private_constant :STATEMENTS, :WAYS, :FIELDS, :AT_CHARACTER, :MARKED_LINE, :CALLS

      def setup
        super
        connect_stock
      end

      def test_statements_at_random
        seed = rand(1 << 16)
        random = Random.new(seed)
        with_rows do |table|
          statements = FailingStatements.new(table, random)
          STATEMENTS.times do |number|
            sql, values = statements.next
            way = (values.empty? ? WAYS.keys : WAYS.keys - ["execute"]).then { |names| names[random.rand(names.size)] }
            assert_same_told("seed #{seed}, statement #{number}, #{way}: #{sql} #{values}") { |base| WAYS.fetch(way).call(base.lease_connection, sql, values) }
          end
        end
      end

      def test_copies_at_random
        seed = rand(1 << 16)
        with_rows do |table|
          statements = FailingStatements.new(table, Random.new(seed))
          20.times { |number| statements.next_copy.then { |sql| assert_same_told("seed #{seed}, #{number}: #{sql}") { |base| base.lease_connection.execute(sql) } } }
        end
      end

      def test_calls_of_a_model
        with_rows do |table|
          models = [Stock, Ours].to_h { |base| [base, model_of(base, table)] }
          CALLS.each { |what, call| assert_same_told(what) { |base| call.call(models.fetch(base)) } }
        end
      end

      # libpq does not know the text of a prepared statement that fails as it is executed; Rails 7.2 prepares none without parameters.
      def test_the_line_of_a_prepared_command_is_shown
        command = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETRUN 1; END $$"
        stocks, our_own = [Stock, Ours].map { |base| assert_raises(::ActiveRecord::StatementInvalid) { WAYS.fetch("prepared").call(base.lease_connection, command, []) }.message }
        assert_includes stocks, ::ActiveRecord.gem_version < Gem::Version.new("8.0") ? "LINE 1: " : "at character 62"
        assert_includes our_own, "LINE 1: ...TION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETRUN 1;"
      end

      private

      def with_rows
        with_table(FailingStatements::COLUMNS) do |table|
          psql("ALTER TABLE #{table} ADD FOREIGN KEY (parent) REFERENCES #{table} (id); INSERT INTO #{table} (id, tag) VALUES (1, 'taken')")
          yield table
        end
      end

      def model_of(base, table)
        Class.new(base) do
          self.table_name = table
          define_singleton_method(:name) { "Row" }
        end
      end

      # The stock adapter of Rails 7.2 leaves the statement and its values out of the errors of prepared ones.
      def assert_same_told(what)
        stocks, our_own = [Stock, Ours].map do |base|
          yield(base)
          flunk "no error: #{what}"
        rescue ::ActiveRecord::ActiveRecordError, ::PG::Error, ArgumentError, RangeError, EncodingError => error
          described(error)
        ensure
          base.connection_pool.release_connection
        end
        our_own = our_own.except(:sql, :binds) if stocks[:sql].nil?
        stocks, our_own = [stocks, our_own].map { |told| without_position(told) } if stocks[:cause_message]&.match?(AT_CHARACTER)
        assert_equal stocks.compact, our_own.compact, what
      end

      def without_position(told)
        told.to_h { |name, value| [name, %i[message cause_message].include?(name) ? value&.sub(AT_CHARACTER, "")&.sub(MARKED_LINE, "") : value] }
      end

      def described(error)
        cause = error.cause if error.is_a?(::ActiveRecord::ActiveRecordError)
        fields = FIELDS.map { |code| cause.result.error_field(code) } if cause.respond_to?(:result) && cause.result
        told = { class: error.class, message: (error.message unless error.is_a?(ArgumentError)), cause: cause.class, cause_message: (cause.message if fields), fields: fields }
        return told unless error.is_a?(::ActiveRecord::StatementInvalid)

        { **told, sql: error.sql, binds: error.binds&.map { |bind| bind.respond_to?(:value_for_database) ? bind.value_for_database : bind } }
      end
    end
  end
end
