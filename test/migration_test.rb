# frozen_string_literal: true

require "test_helper"
require "connection_pool"
require "pg"
require "sequel"
require "support/app"

# The tables of guides/coming-from.md that have a column before and a column after: both return the same. Cells without code are not
# looked at, nor those that are the name of a constant.
class MigrationTest < Trunkline::TestCase
  PAGE = File.expand_path("../guides/coming-from.md", __dir__)
  # A pipe within code is escaped in a table.
  CELL = /\|((?:\\\||[^|])*)/.freeze
  CONSTANT = /\A[A-Z][\w:]*\z/.freeze
  private_constant :PAGE, :CELL, :CONSTANT

  def test_both_columns_return_the_same
    App.open(postgres_server) do |db, uri|
      pool = ConnectionPool.new(size: 1) { ::PG.connect(uri) }
      both = binding
      assert_operator rows.size, :>=, 13
      rows.each { |before, after| assert_equal run_code(before, both, uri), run_code(after, both, uri), after }
    ensure
      pool&.shutdown(&:close)
    end
  end

  private

  # @return [Array<Array(String, String)>] the code of each row
  def rows
    tables = File.read(PAGE, encoding: "UTF-8").scan(/^\| before \| after \|\n\| --- \| --- \|\n((?:\|.*\n)+)/).flatten
    pairs = tables.flat_map { |table| table.lines.map { |line| line.scan(CELL).flatten.first(2).map { |cell| cell[/`([^`]+)`/, 1].gsub("\\|", "|") } } }
    pairs.reject { |before, _| before.match?(CONSTANT) }
  end

  def run_code(code, scope, uri)
    address = uri.sub(/\A\w+:/, "")
    result = eval(code.gsub(/\w+:\/\/\/app/) { |url| "#{url[/\A\w+/]}:#{address}" }, scope, PAGE)
    refute_nil result, code
    result
  end
end
