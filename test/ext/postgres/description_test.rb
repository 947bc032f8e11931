# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Which columns have their final values from C at once, and which of them Ruby makes; and which answers share a description.
    class DescriptionTest < TestCase
      include CodecTesting

      GREATEST = 4000 # no built-in type has a greater OID
      POINT = 600
      JSON_TYPES = [114, 3802].freeze
      private_constant :GREATEST, :POINT, :JSON_TYPES

      def test_a_built_in_type_is_final_unless_ruby_has_a_finisher_for_it
        types = (1..GREATEST).select { |oid| Postgres.builtin_type(oid) }
        assert_operator types.size, :>, 50
        assert_equal types.select { |oid| Types::Finishers::BY_TYPE.key?(oid) }, types.reject { |oid| plain?(oid) }
      end

      def test_one_column_that_ruby_finishes_is_enough
        assert plain?(INT4, TEXT)
        refute plain?(INT4, JSON_TYPES.first, TEXT)
        assert plain?
      end

      def test_a_type_that_is_to_be_looked_up
        refute plain?(INT4, POINT)
      end

      def test_what_the_caller_wants_decoded_otherwise
        JSON_TYPES.each { |oid| assert plain?(oid, decoding: Decoding.of(oid => :text)) }
        JSON_TYPES.each { |oid| refute plain?(oid, decoding: Decoding.of(oid => :value, default: :text)) }
        assert plain?(POINT, decoding: Decoding.of(default: :text))
        refute plain?(INT4, decoding: Decoding.of(INT4 => ->(text) { text.to_i }))
      end

      def test_a_statement_that_is_not_kept_prepared_shares_its_description_while_the_server_says_the_same
        first, second = Array.new(2) { answered_once({ "a" => INT4 }, "7").description }
        assert_same first, second
        renamed = answered_once({ "b" => INT4 }, "7").description
        assert_equal %w[a b], [first, renamed].flat_map(&:columns)
      end

      def test_it_has_another_where_a_type_has_changed
        requests = [INT4, TEXT, INT4].map { |type| answered_once({ "a" => type }, "7") }
        assert_equal [[[7]], [["7"]], [[7]]], requests.map(&:rows)
        assert_equal [[INT4], [TEXT], [INT4]], (requests.map { |request| request.description.types })
      end

      def test_what_ruby_finishes_or_looks_up_is_not_shared
        [JSON_TYPES.first, POINT].each do |type|
          first, second = Array.new(2) { answered_once({ "a" => type }, "1").description }
          refute_same first, second
        end
      end

      def test_what_the_server_says_of_columns
        description = answered_once({ "a" => INT4, "b" => TEXT }, "7", "x").description
        assert_equal [[INT4, TEXT], [-1, -1]], [description.types, description.modifiers]
        assert_equal 2, description.origins.size
        assert_equal [[], [], []], [Description.empty.types, Description.empty.modifiers, Description.empty.origins]
        assert [description.types, description.modifiers, description.columns].all?(&:frozen?)
      end

      private

      # @return [Request] of a statement that the session does not keep
      def answered_once(columns, *row)
        request = Request.query(statement("SELECT once"), []).tap(&:unnamed!)
        submit(request)
        answer(first_answer(columns, row))
        request
      end

      def plain?(*oids, decoding: nil)
        sql = "SELECT #{oids} #{decoding}"
        @statements[sql] = Statement.new(sql, @statements.size, [], nil, decoding)
        request = submit(Request.describe(statement(sql)))
        answer(parse_complete + parameter_description + (oids.empty? ? no_data : row_description(oids.to_h { |oid| ["c#{oid}", oid] })) + ready)
        request.description.plain?
      end
    end
  end
end
