# frozen_string_literal: true

require "test_helper"
require "support/scripted_client"

module Trunkline
  module Postgres
    # How often a question is asked, and what comes of it.
    class AskingTest < TestCase
      include QueryMessages

      N = { "n" => QueryMessages::INT4 }.freeze
      UNSENT = Loss.new("reset by peer", false, false).freeze
      SENT = Loss.new("reset by peer", true, false).freeze
      CLOSED = Loss.new("the client was closed", true, true).freeze
      private_constant :N, :UNSENT, :SENT, :CLOSED

      def asker(...) = ScriptedClient.new(...)

      def first(row = ["1"], **options) = first_answer(N, row, **options)

      def test_query_first_and_value
        asker = self.asker(first, later_answer(["\0\0\0\2"]), later_answer(["\0\0\0\3"]), later_answer)
        assert_equal [{ "n" => 1 }], asker.query("SELECT n").to_a
        assert_equal({ "n" => 2 }, asker.first("SELECT n"))
        assert_equal 3, asker.value("SELECT n")
        assert_nil asker.value("SELECT n")
      end

      def test_symbols
        assert_equal({ n: 1 }, asker(first, keys: :symbol).first("SELECT n"))
        assert_raises(ArgumentError) { asker(keys: :strings) }
      end

      def test_the_servers_error_is_the_callers
        error = assert_raises(DivisionByZero) { asker(failure + ready).query("SELECT 1/0") }
        assert_equal ["22012", "SELECT 1/0", "server:5432/db", true], [error.sqlstate, error.sql, error.server, error.sent?]
      end

      def test_no_caller_is_told_of_a_statement_that_the_session_has_lost
        asker = self.asker(first, failure("26000") + ready, first(["2"]))
        asker.query("SELECT n")
        assert_equal [2, 3], [asker.value("SELECT n"), asker.requests.size]
      end

      def test_no_caller_is_told_of_a_plan_that_fits_no_more
        %w[0A000 22003 22P02 42804 42883 42703 XX000].each do |sqlstate|
          asker = self.asker(first, failure(sqlstate) + ready, close_complete + ready + first(["2"]))
          asker.query("SELECT n")
          assert_equal [2, true], [asker.value("SELECT n"), asker.through?], sqlstate
        end
      end

      # PgBouncer keeps a statement of its own for a text, in each session of the server, and none for a text without a name.
      def test_nor_where_a_pooler_answers_for_it_by_an_older_one
        stale = parse_complete + BackendMessages.error(S: "ERROR", V: "ERROR", C: "0A000", M: "no", R: "RevalidateCachedQuery") + ready
        [->(asker) { asker.value("SELECT n") }, ->(asker) { asker.batch(atomic: true) { |batch| batch.query("SELECT n") }.first.value }].each do |ask|
          asker = self.asker(first, failure("0A000") + ready, close_complete + ready + stale, close_complete + ready + first(["2"]))
          asker.query("SELECT n")
          assert_equal [2, true], [ask.call(asker), asker.through?]
          names = asker.executor.codec.output.to_s.b.scan(/P....([^\0]*)\0SELECT n\0/mn).flatten
          assert_equal [true, true, false], names.map { |name| !name.empty? }
        end
      end

      def test_once_and_no_more
        asker = self.asker(first, failure("26000") + ready, failure("26000") + ready)
        asker.query("SELECT n")
        assert_raises(InvalidSqlStatementName) { asker.query("SELECT n") }
      end

      # What had begun may have had an effect.
      def test_never_when_it_had_begun
        asker = self.asker(first, bind_complete + failure("0A000") + ready)
        asker.query("SELECT n")
        assert_raises(FeatureNotSupported) { asker.query("SELECT n") }
        assert_predicate asker, :through?
      end

      def test_never_when_it_has_just_been_prepared
        asker = self.asker(parse_complete + parameter_description + row_description(N) + failure("0A000") + ready)
        assert_raises(FeatureNotSupported) { asker.query("SELECT n") }
        assert_predicate asker, :through?
      end

      def test_never_when_the_statement_is_just_wrong
        asker = self.asker(failure("42601") + ready, close_complete + ready + failure("42601") + ready)
        2.times { |round| assert_raises(SyntaxError) { asker.query("SELEC n") } && assert_equal(round + 1, asker.requests.size) }
      end

      def test_never_within_a_transaction_that_has_failed_by_it
        asker = self.asker(first, failure("0A000") + ready("E"), exclusive: true)
        asker.query("SELECT n")
        error = assert_raises(OutdatedStatement) { asker.query("SELECT n") }
        assert_equal [true, true, "0A000"], [error.sent?, error.retriable?, error.sqlstate]
        assert_match(/outdated.*run all of it again \(it failed\)/, error.message)
        assert_predicate asker, :through?
      end

      def test_what_was_not_sent_is_sent_to_another_server
        asker = self.asker(UNSENT, UNSENT, first)
        assert_equal 1, asker.value("SELECT n")
        assert_equal 3, asker.requests.uniq.size
      end

      def test_but_not_for_ever
        asker = self.asker(*[UNSENT] * 9)
        error = assert_raises(NotSent) { asker.query("SELECT n") }
        assert_equal [5, false, true], [asker.requests.size, error.sent?, error.retriable?]
      end

      def test_what_was_not_sent_is_sent_as_it_was
        asker = self.asker(first, UNSENT, first, failure("26000") + ready, first(["2"]))
        assert_equal [1, 1, 2], Array.new(3) { asker.value("SELECT n") }
      end

      def test_what_was_sent_is_sent_once
        asker = self.asker(SENT)
        error = assert_raises(Indeterminate) { asker.query("INSERT") }
        assert_equal ["the connection was lost: reset by peer (server server:5432/db; SQL: INSERT)", true, false],
                     [error.message, error.sent?, error.retriable?]
      end

      def test_a_client_that_is_closed_meanwhile
        assert_raises(Closed) { asker(CLOSED).query("SELECT n") }
      end

      def test_a_statement_that_leaves_a_transaction_open
        error = assert_raises(SharedStateError) { asker(first_command("BEGIN", "T")).query("BEGIN") }
        assert_match(/use transaction \{ \} or session \{ \}/, error.message)
      end

      def test_a_wrong_number_of_parameters_is_the_same_error_every_time
        wrong = parse_complete + parameter_description(INT4) + row_description(N) + failure("08P01") + ready
        asker = self.asker(wrong, wrong, first(types: [INT4]))
        calls = [[], [nil, nil], [1, 2], [[1, 2], 3]]
        calls.first(2).each { |given| assert_wrong_count(given.size) { asker.query("SELECT #{given.size}, $1", *given) } }
        calls.each { |given| assert_wrong_count(given.size) { asker.query("SELECT 0, $1", *given) } }
        assert_equal 2, asker.requests.size
      end

      def test_one_array_for_several_placeholders
        asker = self.asker(parse_complete + parameter_description(INT4, INT4) + row_description(N) + ready)
        error = assert_raises(ArgumentError) { asker.query("SELECT $1, $2", [1, 2]) }
        assert_equal "the statement has 2 parameters, and 1 were given: pass parameters separately, not as one Array", error.message
      end

      def test_parameters_that_depend_on_the_type_wait_for_it_once
        described = parse_complete + parameter_description(1007) + row_description(N) + ready
        asker = self.asker(described, later_answer(["\0\0\0\1"]), later_answer(["\0\0\0\2"]))
        assert_equal [1, 2], [asker.value("SELECT ANY($1)", [1, 2]), asker.value("SELECT ANY($1)", [3])]
        assert_equal [[], ["{1,2}"], ["{3}"]], asker.requests.map(&:parameters)
      end

      # The column was a text and is a bytea now: what was converted for the one is converted anew for the other.
      def test_parameters_that_depend_on_a_type_that_has_changed
        text = parse_complete + parameter_description(TEXT) + no_data + ready
        inserted = bind_complete + complete("INSERT 0 1") + ready
        bytea = close_complete + ready + parse_complete + parameter_description(BYTEA) + no_data + ready
        asker = self.asker(text, inserted, failure("42804") + ready, bytea, inserted)
        2.times { asker.query("INSERT", "\\101".b) }
        assert_equal [Encoding::UTF_8, Encoding::BINARY], asker.requests.values_at(1, 4).map { |request| request.parameters.first.encoding }
      end

      def test_more_parameters_than_a_message_can_count
        asker = self.asker
        error = assert_raises(ArgumentError) { asker.query("SELECT 1", *Array.new(65_536)) }
        assert_equal "a statement has 65535 parameters at most, and 65536 were given", error.message
        assert_empty asker.requests
      end

      def test_more_bytes_than_a_server_takes
        asker = self.asker
        text = "x" * 10_000_000
        error = assert_raises(ArgumentError) { asker.query("SELECT 1", *[text, text.to_sym] * 55) }
        assert_equal "the parameters have 1100000000 bytes, and the server takes 1072693248 at most", error.message
        assert_empty asker.requests
      end

      def test_a_future
        asker = self.asker(first)
        future = asker.async("SELECT n")
        refute_predicate future, :done?
        assert_equal 1, future.value.value
        assert_same future.value, future.value
        assert_equal [true, true], [future.done?, future.wait(0)]
      end

      def test_a_futures_error
        future = asker(failure + ready).async("SELECT 1/0")
        2.times { assert_raises(DivisionByZero) { future.value } }
      end

      def test_a_future_that_is_sent_again
        asker = self.asker(UNSENT, first)
        assert_equal 1, asker.async("SELECT n").value.value
        assert_predicate asker, :through?
      end

      private

      def assert_wrong_count(count, &call)
        error = assert_raises(ArgumentError, &call)
        assert_match(/\Athe statement has 1 parameters, and #{count} were given/, error.message)
      end
    end
  end
end
