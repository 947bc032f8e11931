# frozen_string_literal: true

module Shared
  # An error is raised to its own caller alone. The test includes a host.
  module Errors
    # SQL that fails, and the class that says how.
    FAILURES = {
      "SELECT 1/0" => "DivisionByZero", "SELECT FROM WHERE" => "SyntaxError", "SELECT * FROM no_such_table" => "UndefinedTable",
      "SELECT no_such_column" => "UndefinedColumn", "SELECT 'x'::int" => "InvalidTextRepresentation",
      "SELECT 99999999999::int" => "NumericValueOutOfRange"
    }.freeze

    def test_each_error_has_its_class
      in_host_with_client(connections: 1) do |db|
        FAILURES.each do |sql, name|
          assert_instance_of Trunkline.const_get(name), (assert_raises(Trunkline::ServerError) { db.query(sql) })
        end
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_an_error_tells_what_the_server_said
      with_table("id int CONSTRAINT only_one UNIQUE") do |table|
        in_host_with_client do |db|
          error = assert_raises(Trunkline::UniqueViolation) { db.query("INSERT INTO #{table} VALUES (1), (1)") }
          assert_kind_of Trunkline::IntegrityConstraintViolation, error
          assert_equal ["23505", "only_one", table], [error.sqlstate, error.constraint, error.table]
          assert_match(/INSERT INTO #{table}/, error.sql)
          assert_predicate error, :sent?
        end
      end
    end

    def test_an_error_tells_no_secrets
      in_host_with_client(password: "s3cret") do |db|
        error = assert_raises(Trunkline::InvalidTextRepresentation) { db.query("SELECT $1::text::int", "pa55word") }
        refute_match(/s3cret/, error.full_message)
        refute_match(/s3cret/, db.inspect)
        refute_match(/pa55word/, error.sql.to_s)
      end
    end

    def test_a_failed_statement_fails_each_time_and_then_works
      name = "t#{SecureRandom.hex(6)}"
      in_host_with_client(connections: 2) do |db|
        6.times { assert_raises(Trunkline::UndefinedTable) { db.query("SELECT * FROM #{name}") } }
        db.query("CREATE TABLE #{name} (id int)")
        6.times { assert_empty db.query("SELECT * FROM #{name}").rows }
        db.query("DROP TABLE #{name}")
        6.times { assert_raises(Trunkline::UndefinedTable) { db.query("SELECT * FROM #{name}") } }
      end
    end

    def test_neighbours_share_a_connection_but_no_error
      in_host_with_client(connections: 1) do |db|
        outcomes = side_by_side(0...100) do |number|
          number.odd? ? assert_raises(Trunkline::DivisionByZero) { db.query("SELECT 1/0") }.class : db.value("SELECT $1::int", number)
        end
        assert_equal (0...100).map { |number| number.odd? ? Trunkline::DivisionByZero : number }, outcomes
      end
    end

    def test_neighbours_preparing_the_same_broken_statement
      in_host_with_client(connections: 2) do |db|
        errors = side_by_side(1..40) { assert_raises(Trunkline::UndefinedTable) { db.query("SELECT * FROM missing_table") } }
        assert_equal 40, errors.uniq(&:object_id).size
        assert_equal 5, db.value("SELECT 5")
      end
    end

    def test_an_error_in_the_middle_of_the_rows
      in_host_with_client(connections: 1) do |db|
        good = later { db.value("SELECT count(*) FROM generate_series(1, 10)") }
        assert_raises(Trunkline::DivisionByZero) { db.query("SELECT 1 / (5000 - n) FROM generate_series(1, 10000) AS n") }
        assert_equal 10, good.value
      end
    end

    def test_a_failed_script_changes_nothing_else
      in_host_with_client do |db|
        assert_raises(Trunkline::DivisionByZero) { db.execute_script("SELECT 1; SELECT 1/0; SELECT 2") }
        assert_raises(Trunkline::SharedStateError) { db.query("SELECT 1; SELECT 2") }
        assert_raises(Trunkline::SyntaxError) { db.session { |session| session.query("SELECT 1; SELECT 2") } }
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_bad_parameters_are_the_callers_own_error
      in_host_with_client(connections: 1) do |db|
        bad_calls = {
          invalid_utf8: -> { db.query("SELECT $1::text", (+"\xFF").force_encoding("UTF-8")) },
          nul: -> { db.query("SELECT $1::text", "a\0b") },
          too_many: -> { db.query("SELECT 1", *Array.new(65_536, 1)) },
          unsupported: -> { db.query("SELECT $1::text", Object.new) },
          too_few: -> { db.query("SELECT $1::int, $2::int", 1) },
          superfluous: -> { db.query("SELECT $1::int", 1, 2) }
        }
        bad_calls.each do |name, call|
          neighbours = Array.new(3) { |number| later { db.value("SELECT $1::int", number) } }
          assert_raises(Trunkline::Error, ArgumentError, TypeError, EncodingError, name.to_s, &call)
          assert_equal [0, 1, 2], neighbours.map(&:value), name
        end
      end
    end

    def test_one_array_for_several_placeholders
      in_host_with_client do |db|
        error = assert_raises(ArgumentError) { db.query("SELECT $1::int, $2::int", [1, 2]) }
        assert_match(/pass parameters separately/, error.message)
      end
    end

    def test_a_misspelt_keyword
      assert_raises(Trunkline::ConfigError) { Trunkline.postgres(postgres_server.uri, conections: 4) }
      in_host_with_client do |db|
        assert_raises(ArgumentError, Trunkline::Error) { db.query("SELECT 1", deadlin: 1) }
      end
    end

    def test_a_session_ended_by_the_server_is_an_error_once
      in_host_with_client(connections: 1) do |db|
        assert_raises(Trunkline::Error) { db.query("SELECT pg_terminate_backend(pg_backend_pid())") }
        assert_equal 1, db.value("SELECT 1")
      end
    end

    def test_a_server_that_is_not_there
      in_host do
        Trunkline.postgres(host: "127.0.0.1", port: 1, connect_timeout: 2) do |db|
          2.times { assert_raises(Trunkline::ConnectionError) { db.query("SELECT 1") } }
          errors = side_by_side(1..10) { assert_raises(Trunkline::ConnectionError) { db.query("SELECT 1") } }
          assert_equal 10, errors.size
        end
      end
    end
  end
end
