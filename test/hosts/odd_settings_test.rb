# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/sequel_host"

module Hosts
  # What a server with array_nulls off, or a database in SQL_ASCII, would store or send in another way than it was meant is refused by the
  # adapters too.
  class OddSettingsTest < Trunkline::TestCase
    include Trunkline::SequelHost

    NULLS = /array_nulls is off.* SET array_nulls = on/
    private_constant :NULLS

    # The only connection is the transaction's.
    def test_active_record_and_a_nil_in_an_array
      with_database("", "array_nulls = off") do |name|
        with_model(name) do |model|
          [-> { model.create!(names: ["a", nil]) }, -> { model.where(names: [["a", nil]]).count }, -> { model.insert_all([{ names: [nil] }]) },
           -> { model.connection.unprepared_statement { model.create!(names: [nil]) } }, -> { model.transaction { model.create!(names: ["b"]) && model.create!(names: [nil]) } }].each do |call|
            assert_match NULLS, assert_raises(Trunkline::ConfigError, &call).message
          end
          assert_equal ["a"], model.create!(names: ["a"]).reload.names
          assert_equal 1, model.count
        end
      end
    end

    def test_sequel_and_a_nil_in_an_array
      with_database("", "array_nulls = off") do |name|
        with_sequel(database: name, max_connections: 1) do |db|
          db.extension(:pg_array)
          insert = ->(names) { db[:kept].call(:insert, { names: Sequel.pg_array(names, :text) }, names: :$names) }
          assert_match NULLS, assert_raises(Sequel::DatabaseError) { insert.call(["a", nil]) }.message
          assert_match NULLS, assert_raises(Sequel::DatabaseError) { db.transaction { insert.call(["b"]) && insert.call([nil]) } }.message
          insert.call(["a"])
          db[:kept].insert(names: Sequel.pg_array([nil], :text)) # written as ARRAY[NULL]
          assert_equal [["a"], [nil]], db[:kept].order(:id).select_map(:names).map(&:to_a)
        end
      end
    end

    def test_bytes_that_are_no_text
      with_database("ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'") do |name|
        postgres_server.psql("INSERT INTO kept (name) VALUES (convert_from('\\xe9', 'SQL_ASCII'))", dbname: name)
        with_model(name) do |model|
          assert_match(/HINT: .*convert_to\(column/, assert_raises(ActiveRecord::StatementInvalid) { model.first }.message)
          assert_match(/\$1 is not valid UTF-8/, assert_raises(ActiveRecord::StatementInvalid) { model.where(name: "\xE9").count }.message)
        end
        with_sequel(database: name) do |db|
          assert_match(/HINT: .*convert_to\(column/, assert_raises(Sequel::DatabaseError) { db[:kept].get(:name) }.message)
          assert_match(/not valid UTF-8/, assert_raises(Sequel::DatabaseError) { db[:kept].where(name: "\xE9").count }.message)
        end
      end
    end

    private

    def with_database(kind, setting = nil)
      name = "odd#{SecureRandom.hex(6)}"
      postgres_server.psql("CREATE DATABASE #{name} TEMPLATE template0 #{kind}")
      postgres_server.psql("ALTER DATABASE #{name} SET #{setting}") if setting
      postgres_server.psql("CREATE TABLE kept (id serial PRIMARY KEY, name text, names text[])", dbname: name)
      yield name
    ensure
      postgres_server.drop_database(name)
    end

    def with_model(database)
      base = Trunkline::ActiveRecordHost::Ours
      base.establish_connection(adapter: "trunkline", host: postgres_server.socket_directory, port: postgres_server.port, username: "postgres", database: database,
                                server_connections: 1, max_server_connections: 1)
      yield Class.new(base) { self.table_name = "kept" }
    ensure
      base.remove_connection
    end
  end
end
