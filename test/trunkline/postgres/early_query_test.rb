# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"

module Trunkline
  module Postgres
    class EarlyQueryTest < TestCase
      include BackendMessages

      def query(leftover = "") = Startup::EarlyQuery.new("the question", leftover)

      # @return [String] a DataRow and what follows it
      def answer(*columns)
        values = columns.flat_map { |text| text ? [text.bytesize, text] : [-1, ""] }
        message("D", [columns.size, *values].pack("n#{"Na*" * columns.size}")) + ready
      end

      def test_columns_in_pieces_with_something_behind_them
        bytes = answer("a", nil, "", "bc")
        asked = query(bytes.byteslice(0, 7))
        bytes.byteslice(7..).each_char { |byte| refute_predicate(asked, :answered?) && asked.receive(byte) }
        asked.receive("next")
        assert_equal [true, ["a", nil, "", "bc"], nil, "next"], [asked.answered?, asked.row, asked.error, asked.leftover]
      end

      def test_answers_that_cannot_be
        error = assert_raises(ProtocolError) { query.receive(["D", 30_001].pack("aN")) }
        assert_equal "an answer of 30001 bytes to the question", error.message
        assert_raises(ProtocolError) { query.receive(message("D", [2, 1, "a"].pack("nNa"))) }
      end
    end
  end
end
