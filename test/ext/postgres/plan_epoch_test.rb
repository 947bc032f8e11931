# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # What one session learns of a change, all sessions of the client heed; and statements of which sessions keep nothing.
    class PlanEpochTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      def setup
        super
        @epochs = PlanEpoch.new
        @codec = session
      end

      # Another one of the same client.
      def session(prefix = nil) = Codec.new({}, CodecTesting::LIMIT, @epochs, prefix)

      def statement(sql) = @statements[sql] ||= Statement.new(sql, @statements.size, [], @epochs)

      # The block's questions go to another session.
      def elsewhere(codec = session)
        before = [@codec, @sent_before]
        @codec = codec
        @sent_before = codec.output.size
        yield
      ensure
        @codec, @sent_before = before
      end

      def other_that_knows(sql)
        session.tap { |other| elsewhere(other) { ask_and_answer(sql, N, ["1"]) } }
      end

      def test_what_one_session_finds_changed_all_prepare_anew
        other = other_that_knows("SELECT n")
        ask_and_answer("SELECT n", N, ["1"])
        ask("SELECT n")
        answer(failure("0A000") + ready)
        assert_equal 1, @epochs.number
        elsewhere(other) do
          ask("SELECT n")
          assert_equal close("t1") + sync + first_execution("t2", "SELECT n"), sent
        end
      end

      # Of all that fail for one change the first counts: else each would make the others' statements old again.
      def test_one_change_ends_one_epoch
        ask_and_answer("SELECT n", N, ["1"])
        3.times { ask("SELECT n") }
        answer((failure("0A000") + ready) * 3)
        assert_equal 1, @epochs.number
      end

      def test_a_command_that_changes_tables
        other = other_that_knows("SELECT n")
        ask("ALTER TABLE t ADD n int")
        answer(first_command("ALTER TABLE"))
        elsewhere(other) { assert_predicate ask("SELECT n"), :parses? }
      end

      # What others prepare while the transaction is open knows nothing of the change, and may have to, or must not.
      def test_a_change_in_a_transaction_counts_again_at_its_end
        %w[COMMIT ROLLBACK].each do |ending|
          begin_session
          @codec = session.tap { |own| own.exclusive = true }
          before = nil
          { "BEGIN" => "T", "ALTER TABLE" => "T", ending => "I" }.each do |command, status|
            before = @epochs.number
            submit(Request.script(command))
            answer(complete(command) + ready(status))
          end
          assert_operator @epochs.number, :>, before, ending
          submit(Request.script("COMMIT"))
          assert_no_changes { answer(complete("COMMIT") + ready) }
        end
      end

      def test_a_savepoint_that_is_rolled_back_may_have_been_older
        @codec.exclusive = true
        { "BEGIN" => "T", "ALTER TABLE" => "T" }.each do |command, status|
          submit(Request.script(command))
          answer(complete(command) + ready(status))
        end
        before = @epochs.number
        submit(Request.script("ROLLBACK TO a"))
        answer(complete("ROLLBACK") + ready("T"))
        assert_operator @epochs.number, :>, before
      end

      def test_types_that_are_gone
        ["DROP TYPE", "DROP DOMAIN", "DROP EXTENSION", "DROP SCHEMA", "DROP TABLE", "DROP VIEW", "DROP FUNCTION", "DROP ROLE"].each_with_index do |command, index|
          submit(Request.script(command))
          answer(complete(command) + ready)
          assert_equal index + 1, @epochs.number, command
        end
        submit(Request.script("DROP INDEX t"))
        assert_no_changes { answer(complete("DROP INDEX") + ready) }
      end

      # What is new may be meant by what is prepared already: a function that takes the call of another, a cast, a table in a schema that is searched first.
      def test_what_is_new
        ["CREATE FUNCTION", "CREATE CAST", "CREATE OPERATOR", "CREATE ROLE", "CREATE TABLE"].each_with_index do |command, index|
          ask(command)
          answer(first_command(command))
          assert_equal index + 1, @epochs.number, command
        end
        ask("CREATE TEMP TABLE t (n int)")
        assert_no_changes { answer(first_command("CREATE TABLE")) }
        ask("CREATE TABLE t AS SELECT 1")
        assert_no_changes { answer(first_command("SELECT 1")) }
      end

      def assert_no_changes
        before = @epochs.number
        yield
        assert_equal before, @epochs.number
      end

      def test_what_was_learned_of_parameters_before_a_change_is_not_told
        ask_and_answer("INSERT", N, ["1"], types: [INT4], parameters: [1])
        assert_equal [INT4], statement("INSERT").parameter_types
        ask("ALTER TABLE t ADD n int")
        answer(first_command("ALTER TABLE"))
        assert_nil statement("INSERT").parameter_types
        sent
        ask("INSERT", 1)
        assert_equal close("t1") + sync + first_execution("t3", "INSERT", ["1"]), sent
      end

      # The server knows their names no more: nothing is to be closed.
      def test_commands_after_which_the_session_has_none_left
        ["DISCARD ALL", "DEALLOCATE ALL"].each do |command|
          begin_session
          @statements = {}
          ask_and_answer("SELECT n", N, ["1"])
          submit(Request.script(command))
          answer(complete(command) + ready)
          sent
          ask("SELECT n")
          assert_equal first_execution("t2", "SELECT n"), sent
        end
      end

      def test_commands_that_have_no_such_effect
        ask_and_answer("SELECT n", N, ["1"])
        ["DISCARD PLANS", "DEALLOCATE", "DELETE 1", "DROP INDEX", "ALTE", "D", ""].each do |tag|
          submit(Request.script("any"))
          answer(complete(tag) + ready)
          refute_predicate ask("SELECT n").tap { answer(later_answer(["\0\0\0\2"])) }, :parses?, tag
        end
        assert_equal 0, @epochs.number
      end

      # --- names ---

      def test_names_begin_with_the_sessions_prefix
        elsewhere(session("tXY_")) do
          ask("SELECT n")
          assert_equal first_execution("tXY_1", "SELECT n"), sent
        end
        assert_raises(ArgumentError) { session("x" * 16) }
        assert_raises(ArgumentError) { session("x\0") }
      end

      def test_a_name_that_is_in_use_already
        request = ask("SELECT n")
        answer(failure("42P05") + ready)
        assert_predicate request, :outdated?
        sent
        submit(request.anew)
        assert_equal close("t1") + sync + first_execution("t2", "SELECT n"), sent
      end

      # --- without names ---

      def test_without_a_prefix_nothing_is_kept
        elsewhere(session("")) { assert_nothing_kept { ask("SELECT n") } }
      end

      def test_one_request_that_leaves_nothing
        assert_nothing_kept { submit(Request.query(statement("SELECT n"), []).unnamed!) }
        ask("SELECT n")
        assert_equal first_execution("t4", "SELECT n"), sent
      end

      def test_what_stands_for_it_leaves_nothing_either
        request = submit(Request.query(statement("SELECT n"), []).unnamed!)
        answer(first_answer(N, ["1"]))
        assert_nothing_kept { submit(request.again) }
        assert_nothing_kept { submit(request.anew) }
      end

      private

      def assert_nothing_kept
        sent
        3.times do |value|
          request = yield
          assert_equal first_execution("", "SELECT n"), sent
          answer(first_answer(N, [value.to_s]))
          assert_equal value, request.value
        end
      end
    end
  end
end
