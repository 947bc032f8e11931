# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # The life of a prepared statement in one server session.
    class PreparedTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      def test_parsed_once_the_server_says_so
        request = ask("SELECT 1")
        assert_equal [true, false, false], [request.parses?, request.prepared.parsed?, request.prepared.stale?]
        answer(parse_complete)
        assert_predicate request.prepared, :parsed?
      end

      def test_followers_of_a_failed_parse
        first, second = ask("SELECT 1"), ask("SELECT 1")
        assert_equal [true, false, true], [first.parses?, second.parses?, first.prepared.equal?(second.prepared)]
        answer(failure("42601") + ready + failure("26000") + ready)
        assert_predicate first.prepared, :stale?
        sent
        again = submit(second.anew)
        assert_predicate again, :parses?
        assert_equal close("t1") + sync + parse("t2", "SELECT 1") + describe("t2") + execution("t2"), sent
      end

      # A request that failed through what was remembered relies on nothing of it.
      def test_a_request_that_is_prepared_anew_parses_by_itself
        ask("SELECT 1")
        anew = submit(Request.query(statement("SELECT 1"), []).anew)
        assert_equal [true, true], [anew.parses?, anew.anew?]
        assert_equal first_execution("t1", "SELECT 1") + close("t1") + sync + first_execution("t2", "SELECT 1"), sent
      end

      def test_a_request_that_is_prepared_anew_tells_no_types
        ask_and_answer("SELECT $1", N, ["1"], types: [INT4], parameters: [1])
        submit(Request.query(statement("SELECT $1"), [2]).anew)
        assert_equal close("t1") + sync + first_execution("t2", "SELECT $1", ["2"]), sent
      end

      def test_a_request_that_is_just_repeated_relies_on_what_is_there
        ask_and_answer("SELECT 1", N, ["1"])
        request = Request.query(statement("SELECT 1"), [])
        assert_equal [false, true], [submit(request.again).parses?, submit(request.anew.again).parses?]
      end

      # One that was there is lost, so the others are: none is to be used again, and none to be closed.
      def test_a_statement_that_the_server_has_lost
        ask_and_answer("SELECT 2", N, ["2"])
        ask_and_answer("SELECT 1", N, ["1"])
        request = ask("SELECT 1")
        answer(failure("26000") + ready)
        assert_predicate request, :outdated?
        sent
        submit(request.anew)
        ask("SELECT 2")
        assert_equal first_execution("t3", "SELECT 1") + first_execution("t4", "SELECT 2"), sent
      end

      # It may have had effects: what was carried out in part is not repeated.
      def test_a_plan_that_fails_as_it_runs
        { "42703" => true, "XX000" => true, "22012" => false, "P0001" => false }.each do |code, dropped|
          begin_session
          @statements = {}
          ask_and_answer("SELECT f()", N, ["1"])
          request = ask("SELECT f()")
          answer(bind_complete + failure(code) + ready)
          assert_equal [false, dropped], [request.outdated?, ask("SELECT f()").parses?], code
        end
      end

      def test_a_plan_that_fits_no_more
        assert_dropped_by("0A000")
      end

      def test_a_statement_that_names_what_is_gone
        assert_dropped_by("42P01")
        begin_session
        assert_dropped_by("XX000")
      end

      def test_a_value_that_does_not_fit_the_types_that_the_session_has
        assert_dropped_by("22P02")
        begin_session
        assert_dropped_by("22003")
      end

      # What was bound may have had an effect: it is not retried.
      def test_the_same_error_within_an_execution
        ask_and_answer("SELECT 1", N, ["1"])
        request = ask("SELECT 1")
        answer(bind_complete + failure("0A000") + ready)
        assert_equal [false, false], [request.outdated?, request.prepared.stale?]
      end

      def test_the_same_error_of_a_new_statement
        request = ask("SELECT 1")
        answer(failure("42P01") + ready)
        assert_equal [false, true], [request.outdated?, request.prepared.stale?]
      end

      # Then the types may be to blame: the next Parse leaves them to the server.
      def test_the_same_error_of_a_statement_parsed_with_types
        ask_and_answer("SELECT 1", N, ["1"], types: [INT4], parameters: [1])
        codec.forget_statements
        request = ask("SELECT 1", 1)
        answer(failure("42804") + ready)
        assert_equal [true, true, nil], [request.outdated?, request.prepared.stale?, statement("SELECT 1").parameter_types]
      end

      def test_a_lost_statement_keeps_its_types
        ask_and_answer("SELECT 1", N, ["1"], types: [INT4], parameters: [1])
        ask("SELECT 1", 1)
        answer(failure("26000") + ready)
        assert_equal [INT4], statement("SELECT 1").parameter_types
      end

      def test_other_errors_leave_a_statement_in_place
        %w[23505 40001 57014 XX001 2600 P0001].each do |sqlstate|
          begin_session
          @statements = {}
          ask_and_answer("SELECT 1", N, ["1"])
          request = ask("SELECT 1")
          answer(failure(sqlstate) + ready)
          refute_predicate request.prepared, :stale?
          sent
          ask("SELECT 1")
          assert_equal execution("t1", binary: true), sent
        end
      end

      def test_an_error_of_execution_leaves_a_new_statement_in_place
        request = ask("SELECT 1")
        answer(parse_complete + parameter_description + row_description(N) + bind_complete + failure("22012") + ready)
        sent
        refute_predicate request.prepared, :stale?
        ask("SELECT 1")
        assert_equal execution("t1", binary: true), sent
      end

      def test_an_evicted_statement_is_closed_when_its_slot_is_taken
        old = Statement.new("SELECT old", 5)
        submit(Request.query(old, []))
        answer(first_answer(N, ["1"]))
        sent
        submit(Request.query(Statement.new("SELECT new", 5), []))
        assert_equal close("t1") + sync + first_execution("t2", "SELECT new"), sent
      end

      def test_an_evicted_statement_comes_back_under_another_name
        old, young = Statement.new("SELECT old", 5), Statement.new("SELECT new", 5)
        [old, young, old].each { |one| submit(Request.query(one, [])) }
        assert_equal first_execution("t1", "SELECT old") + close("t1") + sync + first_execution("t2", "SELECT new") +
                     close("t2") + sync + first_execution("t3", "SELECT old"), sent
      end

      def test_closes_are_sent_together_and_have_no_caller
        evicted = Array.new(3) { |slot| Statement.new("SELECT #{slot}", slot) }
        evicted.each { |one| submit(Request.query(one, [])) }
        answer((failure("42601") + ready) * 3)
        sent
        request = ask("SELECT 1")
        assert_equal close("t1") + close("t2") + close("t3") + sync + first_execution("t4", "SELECT 1"), sent
        answer((close_complete * 3) + ready)
        refute_predicate request, :done?
        answer(first_answer(N, ["1"]))
        assert_equal 1, request.value
        assert_empty sent
      end

      def test_a_failed_close_harms_no_request
        ask("SELECT 1")
        answer(failure("42601") + ready)
        request = ask("SELECT 2")
        answer(failure("XX000") + ready + first_answer(N, ["2"]))
        assert_equal 2, request.value
      end

      def test_an_error_of_a_description
        request = submit(Request.describe(statement("SELECT 1")))
        answer(failure("42601") + ready)
        assert_predicate request.prepared, :stale?
        assert_nil statement("SELECT 1").parameter_types
      end

      # Parsed without types, it is bound without: bytes go as the text of a bytea.
      def test_types_learned_on_another_connection
        ask("INSERT", "text")
        sent
        learn_elsewhere("INSERT", BYTEA)
        submit(Request.converted(statement("INSERT"), ["\0\xFF".b]))
        assert_equal execution("t1", ["\\x00ff"]), sent
      end

      # Parameters that were made for other types than the session has go with another statement, whose types the server compares.
      def test_parameters_made_for_other_types
        ask_and_answer("INSERT", N, ["1"], types: [BYTEA], parameters: ["x"])
        submit(Request.dependent(statement("INSERT"), ["\\101"], ["\\101".b], [TEXT]))
        assert_compared close("t1") + sync, parse("t2", "INSERT") + describe("t2"), "t2\0\0\0\4{25}", execution("t2", ["\\101"], formats: [0])
        submit(Request.dependent(statement("INSERT"), ["x"], ["x".b], [TEXT]))
        assert_compared "t2\0\0\0\4{25}", execution("t2", ["x"], formats: [0])
      end

      def test_parameters_made_for_types_that_the_session_does_not_know_yet
        ask("INSERT", "x")
        sent
        submit(Request.dependent(statement("INSERT"), ["\0".b], ["\0".b], [BYTEA]))
        assert_compared close("t1") + sync, parse("t2", "INSERT") + describe("t2"), "t2\0\0\0\4{17}", execution("t2", ["\0"], formats: [1])
      end

      # Each session keeps to the types that it has been told, whatever others learn.
      def test_types_that_changed_elsewhere
        ask_and_answer("INSERT", N, ["1"], types: [INT4], parameters: [1])
        learn_elsewhere("INSERT", INT8)
        assert_equal [INT8], statement("INSERT").parameter_types
        ask("INSERT", 1)
        assert_equal execution("t1", ["\0\0\0\1"], formats: [1], binary: true), sent
      end

      private

      def learn_elsewhere(sql, type)
        elsewhere = Codec.new({}, CodecTesting::LIMIT)
        elsewhere.submit(Request.describe(statement(sql)))
        elsewhere.input << (parse_complete + parameter_description(type) + no_data + ready)
        elsewhere.receive([])
      end

      # These messages, in this order, among those for the comparison of types.
      def assert_compared(*messages)
        bytes = sent
        places = messages.map { |message| bytes.index(message.b) }
        assert_equal places.compact.sort, places, bytes
      end

      def assert_dropped_by(sqlstate)
        ask_and_answer("SELECT 1", N, ["1"])
        request, behind = ask("SELECT 1"), ask("SELECT 1")
        answer(failure(sqlstate) + ready)
        assert_equal [true, true], [request.outdated?, request.prepared.stale?]
        sent
        again = submit(request.anew)
        assert_equal close("t1") + sync + parse("t2", "SELECT 1") + describe("t2") + execution("t2"), sent
        assert_predicate again, :parses?
        answer(later_answer(["\0\0\0\2"]))
        assert_equal 2, behind.value
      end
    end
  end
end
