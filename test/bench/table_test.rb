# frozen_string_literal: true

require "test_helper"
require_relative "../../bench/support/table"

class TableTest < Trunkline::TestCase
  TABLE = Trunkline::Bench::Table.new(%w[side seconds], [["pg", 1.5], [], ["Trunkline", 12]], title: "Selects")
  private_constant :TABLE

  def test_text_has_numbers_to_the_right
    assert_equal <<~TEXT.chomp, TABLE.to_s
      Selects
      side       seconds
      ---------  -------
      pg             1.5

      Trunkline       12
    TEXT
  end

  def test_markdown_has_no_gaps
    assert_equal <<~TEXT.chomp, TABLE.to_markdown
      ## Selects

      | side | seconds |
      | --- | --- |
      | pg | 1.5 |
      | Trunkline | 12 |
    TEXT
  end
end
