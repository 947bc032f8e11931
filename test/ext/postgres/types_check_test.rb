# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Values that were written for the types that another session had: the server compares these before it executes the statement.
    class TypesCheckTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      def dependent(sql = "INSERT $1", types: [BYTEA], unnamed: false)
        request = Request.dependent(statement(sql), types.map { "x" }, types, types)
        request.unnamed! if unnamed
        submit(request)
      end

      def passed = bind_complete + data_row("1") + complete

      def described(*types) = parse_complete + parameter_description(*types) + no_data

      def stored = bind_complete + complete("INSERT 0 1") + ready

      def test_the_types_are_compared_between_parse_and_bind
        request = dependent(types: [BYTEA, INT4])
        messages = sent
        assert_operator messages.index("ttypes\0SELECT 1 OPERATOR"), :<, messages.index("INSERT $1")
        places = [describe("t1"), "\0ttypes\0".b, "t1\0\0\0\a{17,23}".b, "\0t1\0".b].map { |part| messages.index(part) }
        assert_equal places.sort, places
        answer(parse_complete + ready + described(BYTEA, INT4) + passed + stored)
        assert_predicate request, :answered?
      end

      # A request behind the first one of a session was written for the same types.
      def test_each_is_compared_until_the_session_has_described_the_statement
        first, second = dependent, dependent
        assert_equal 3, sent.scan("ttypes\0").size # Parse, and two of Bind
        answer(parse_complete + ready + described(BYTEA) + passed + stored + passed + stored)
        assert_equal [true, true], [first, second].map(&:answered?)
        dependent
        refute_includes sent, "ttypes"
      end

      def test_where_they_differ_nothing_is_executed_and_the_request_is_outdated
        first, second = dependent, dependent
        answer(parse_complete + ready + described(TEXT) + bind_complete + failure("22012") + ready + bind_complete + failure("22012") + ready)
        [first, second].each { |request| assert_equal [true, true, false], [request.outdated?, request.forgotten?, request.answered?] }
        assert_nil statement("INSERT $1").parameter_types
        sent
        dependent(types: [TEXT])
        assert_match(/\A#{Regexp.escape(close("t1") + sync)}P/mn, sent)
      end

      # As its timeout, which it exceeded while the server compared.
      def test_another_error_says_nothing_of_the_types
        request = dependent
        answer(parse_complete + ready + described(BYTEA) + bind_complete + failure("57014") + ready)
        assert_equal [false, false], [request.outdated?, request.forgotten?]
      end

      def test_what_the_session_does_not_keep_has_a_name_for_its_execution
        request = dependent(unnamed: true)
        assert_match(/P....t1\0INSERT.*B....\0t1\0/mn, sent)
        answer(parse_complete + ready + described(BYTEA) + passed + stored)
        assert_predicate request, :answered?
        ask("SELECT n")
        assert sent.start_with?(close("t1") + sync)
      end

      def test_members_of_an_atomic_batch
        made = Array.new(2) { Request.dependent(statement("INSERT $1"), ["x"], [:given], [BYTEA]).tap(&:unnamed!) }
        batch = submit(Request.batch(made, true))
        assert_equal 3, sent.scan("ttypes\0").size
        answer(parse_complete + ready + ((described(BYTEA) + passed + bind_complete + complete("INSERT 0 1")) * 2) + ready)
        assert_predicate batch, :answered?
        ask("SELECT n")
        assert sent.start_with?(close("t1") + close("t2") + sync)
      end

      # There the server may know the statement by another name, or another session of it executes it.
      def test_where_nothing_can_be_compared
        [-> { codec.behind_pooler! }, -> { @codec = Codec.new({}, CodecTesting::LIMIT, nil, "") }].each do |without|
          begin_session
          without.call
          dependent
          refute_includes sent, "ttypes"
        end
      end

      def test_a_server_that_does_not_permit_it
        request = dependent
        answer(parse_complete + ready + described(BYTEA) + bind_complete + failure("42501") + ready)
        assert_predicate request, :outdated?
        sent
        dependent
        refute_includes sent, "ttypes"
      end

      def test_values_whose_form_does_not_depend_on_types
        ask("INSERT $1", 1)
        refute_includes sent, "ttypes"
      end
    end
  end
end
