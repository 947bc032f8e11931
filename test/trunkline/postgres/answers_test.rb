# frozen_string_literal: true

require "test_helper"
require "support/scripted_client"

module Trunkline
  module Postgres
    # Values that need Ruby: of types that the client has yet to look up, and those that C does not make.
    class AnswersTest < TestCase
      include QueryMessages

      MOOD = 70_000
      MOODS = 70_001
      JSON = 114
      COLUMNS = { "id" => QueryMessages::INT4, "moods" => MOODS }.freeze
      private_constant :MOOD, :MOODS, :JSON, :COLUMNS

      # What the server's catalogue says of an enum and its array.
      def catalogue
        columns = { "oid" => OID, "typtype" => TEXT, "typbasetype" => OID, "typelem" => OID, "array" => 16 }
        first_answer(columns, [MOODS.to_s, "b", "0", MOOD.to_s, "t"], [MOOD.to_s, "e", "0", "0", "f"], types: [1028])
      end

      def moods(*rows) = first_answer(COLUMNS, *rows)

      def test_a_type_is_looked_up_when_it_is_first_met
        asker = ScriptedClient.new(moods(["1", "{sad,happy}"], ["2", nil]), catalogue, later_answer(["3", "{so_so}"]))
        assert_equal [[1, %w[sad happy]], [2, nil]], asker.query("SELECT moods").rows
        assert_equal [[3, %w[so_so]]], asker.query("SELECT moods").rows
        assert_equal 3, asker.requests.size
      end

      def test_value_looks_it_up_too
        asker = ScriptedClient.new(first_answer({ "moods" => MOODS }, ["{sad,happy}"]), catalogue)
        assert_equal %w[sad happy], asker.value("SELECT moods")
      end

      # Their rows came by the same description before it was known.
      def test_answers_that_came_meanwhile
        later = later_answer(["2", "{so_so}"]) + later_answer(["3", nil])
        asker = ScriptedClient.new(moods(["1", "{sad}"]) + later, catalogue)
        futures = Array.new(3) { asker.async("SELECT moods") }
        assert_equal [[[1, %w[sad]]], [[2, %w[so_so]]], [[3, nil]]], (futures.map { |future| future.value.rows })
        assert_predicate asker, :through?
      end

      def test_an_answer_that_is_half_there_meanwhile
        asker = ScriptedClient.new(moods(["1", "{sad}"]) + bind_complete + data_row("2", "{happy}"), catalogue_behind_half_an_answer)
        one, two = Array.new(2) { asker.async("SELECT moods") }
        assert_equal [[1, %w[sad]]], one.value.rows
        assert_equal [[2, %w[happy]], [4, %w[so_so]]], two.value.rows
      end

      def test_a_script_looks_types_up
        asker = ScriptedClient.new(row_description(COLUMNS) + data_row("1", "{sad}") + complete + ready, catalogue)
        assert_equal [[[1, %w[sad]]]], asker.execute_script("SELECT moods").map(&:rows)
      end

      def test_what_c_does_not_make
        asker = ScriptedClient.new(first_answer({ "j" => JSON }, ['{"a":[1,null]}'], [nil]), later_answer(['{"b":2}']))
        assert_equal [[{ "a" => [1, nil] }], [nil]], asker.query("SELECT j").rows
        assert_equal({ "b" => 2 }, asker.value("SELECT j"))
      end

      def test_a_document_that_is_none
        asker = ScriptedClient.new(first_answer({ "j" => JSON }, ["{"]), later_answer(["{}"]))
        assert_raises(::JSON::ParserError) { asker.query("SELECT j") }
        assert_equal({}, asker.value("SELECT j"))
      end

      private

      # The rest of the second answer comes with the catalogue's.
      def catalogue_behind_half_an_answer
        data_row("4", "{so_so}") + complete("SELECT 2") + ready + catalogue
      end
    end
  end
end
