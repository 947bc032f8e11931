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

  def test_a_column_to_be_drawn
    table = Trunkline::Bench::Table.new(%w[side queries/s], [["pg", "1,500"], [], ["Trunkline", 12.5]], drawn: "queries/s")
    assert_equal({ "pg" => 1500.0, "Trunkline" => 12.5 }, table.bars)
    assert_equal table.to_markdown, Trunkline::Bench::Table.from(table.to_h).to_markdown
  end
end
