# frozen_string_literal: true

require "test_helper"
require "pp"
require "support/codec_testing"

module Trunkline
  module Postgres
    # What callers see of an answer.
    class ResultTest < TestCase
      include CodecTesting

      COLUMNS = { "id" => QueryMessages::INT4, "name" => QueryMessages::TEXT }.freeze
      ROWS = [%w[1 Ada], %w[2 Grace], ["3", nil]].freeze
      private_constant :COLUMNS, :ROWS

      def result(columns = COLUMNS, rows = ROWS, of: Result)
        made(first_answer(columns, *rows), of)
      end

      def shown(result, width = 79) = PP.pp(result, +"", width).chomp

      def made(bytes, of = Result)
        begin_session
        request = ask("SELECT")
        answer(bytes)
        of.new(request.rows, request.description, request.affected_rows, request.notices)
      end

      def test_rows_as_hashes
        result = self.result
        hashes = [{ "id" => 1, "name" => "Ada" }, { "id" => 2, "name" => "Grace" }, { "id" => 3, "name" => nil }]
        assert_equal hashes, result.to_a
        assert_equal hashes, result.each.to_a
        assert_equal hashes.first, result.first
        assert_equal hashes.first(2), result.first(2)
        assert_equal [hashes[0], hashes[2], hashes[1], nil, nil], [0, -1, -2, 3, -4].map { |index| result[index] }
        assert_same result, (result.each { |row| row })
      end

      def test_it_is_enumerable
        assert_equal %w[Ada Grace], result.filter_map { |row| row["name"] }
        assert_equal({ 1 => "Ada", 2 => "Grace", 3 => nil }, result.to_h { |row| row.values_at("id", "name") })
        assert_equal 3, result.count
        assert_equal 3, result.each.size
        assert_includes result, { "id" => 2, "name" => "Grace" }
      end

      def test_rows_as_arrays
        assert_equal [[1, "Ada"], [2, "Grace"], [3, nil]], result.rows
        assert_equal result.rows, result.values
        assert_equal 1, result.value
      end

      def test_the_last_rows
        assert_equal [{ "id" => 3, "name" => nil }, [2, 3], [1, 2, 3], []], [result.last, *[2, 9, 0].map { |count| result.last(count).map { |row| row["id"] } }]
        assert_nil result(COLUMNS, []).last
      end

      def test_columns_by_number_and_name
        assert_equal [[1, 2, 3], ["Ada", "Grace", nil]], [result.column, result.column(:name)]
        assert_equal [["Ada", "Grace", nil]] * 3, [result.column("name"), result.column(1), result.column(-1)]
        assert_equal ["2"], result({ "a" => QueryMessages::TEXT, "b" => QueryMessages::TEXT }, [%w[1 2]]).column("b")
        ["other", 2, -3].each { |which| assert_equal "there is no column #{which}: there are id, name", assert_raises(IndexError) { result.column(which) }.message }
        assert_equal %w[id name], result.fields
      end

      def test_hashes_are_yielded
        assert_equal result.to_a, result.each_hash.to_a
        assert_same result.each_hash.size, 3
      end

      def test_a_table_is_shown
        assert_equal <<~TABLE.chomp, shown(result)
          id | name
          ---+------
           1 | Ada
           2 | Grace
           3 | NULL
          (3 rows)
        TABLE
        assert_equal "(1 row)", shown(result(COLUMNS, ROWS.first(1))).lines.last
        assert_match(/\A\[#<Trunkline::Postgres::Result 3 rows \(id, name\)/, PP.pp([result], +""))
        assert_equal [20 + 3, "(25 rows, of which these are the first 20)"], shown(result(COLUMNS, ROWS.first(1) * 25)).lines.then { |lines| [lines.size, lines.last] }
      end

      # IRB colours what it prints as Ruby, where an apostrophe begins a string, and __END__ ends the program.
      def test_irb_colours_nothing_in_a_table
        require "minitest/mock"
        require "irb"
        require "irb/color_printer"
        texts = ["it's \"x", "<<A", "__END__", "=begin", "nil", "日本語", "x" * 300]
        table = result({ "name" => QueryMessages::TEXT }, texts.map { |text| [text] })
        printed = IRB::Color.stub(:colorable?, true) { IRB::ColorPrinter.pp(table, +"", 60) }
        assert_equal "#{shown(table, 60)}\n", printed
        refute_includes printed, "\e["
        assert_match(/\A#<Trunkline::Postgres::Result 7 rows \(name\)/, PP.singleline_pp(table, +""))
      end

      # A value can hold anything.
      def test_the_table_fits_the_terminal_and_is_harmless
        texts = ["a\e[31m\n\u202E", "x" * 10_000, "日本語" * 50, "é" * 100, "\xFF".b]
        columns = Array.new(12) { |at| ["name#{at}", QueryMessages::TEXT] }.to_h
        [20, 40, 79, 200].each do |width|
          lines = shown(result(columns, texts.first(4).map { |text| [text] * 12 }), width).lines(chomp: true)
          lines[0..-2].each { |line| assert_operator line.size + line.scan(/[日本語]/).size, :<=, width }
          refute_match(/[[:cntrl:]\u202E]/, lines.join)
        end
        assert_includes shown(result({ "a" => QueryMessages::TEXT }, [[texts[0]]])), 'a\\e[31m\\n\\u202E'
      end

      def test_rows_of_objects
        user = Struct.new(:name, :id, :other)
        assert_equal [user.new("Ada", 1), user.new("Grace", 2), user.new(nil, 3)], result.as(user).to_a
        assert_equal [1, nil, user.new(nil, 3)], [result.as(user).first.id, result.as(user)[5], result.as(user).last]
        assert_raises(ArgumentError) { result.as(Struct.new(:id)) }
        assert_raises(TypeError) { result.as(:user) }
      end

      def test_counts
        assert_equal [3, 3, 3, false], [result.size, result.length, result.affected_rows, result.empty?]
        none = result(COLUMNS, [])
        assert_equal [0, 0, true, nil, nil, []], [none.size, none.affected_rows, none.empty?, none.first, none.value, none.to_a]
        assert_equal %w[id name], none.columns
      end

      def test_two_columns_of_one_name
        twice = result({ "a" => 23, "b" => 23 }, [%w[1 2]])
        assert_equal({ "a" => 1, "b" => 2 }, twice.first)
        both = frame("T", "\0\2" + (row_description({ "a" => 23 }).byteslice(7..) * 2))
        doubled = made(parse_complete + parameter_description + both + later_answer(%w[1 2]))
        assert_equal [{ "a" => 2 }, [[1, 2]], %w[a a]], [doubled.first, doubled.rows, doubled.columns]
      end

      def test_symbols_for_names
        symbols = result(of: SymbolResult)
        assert_equal({ id: 1, name: "Ada" }, symbols.first)
        assert_equal [{ id: 3, name: nil }, %w[id name]], [symbols[-1], symbols.columns]
      end

      def test_rows_without_columns
        assert_equal [[{}, {}], 2], [result({}, [[], []]).to_a, result({}, [[], []]).size]
      end

      def test_notices
        assert_empty result.notices
        noticed = made(notice("careful") + first_answer(COLUMNS, *ROWS).sub(ready, "") + notice("really") + ready)
        assert_equal [%w[NOTICE careful], %w[NOTICE really]], noticed.notices.map { |fields| fields.values_at(:severity, :message) }
      end

      def test_columns_are_the_same_for_every_caller
        assert_raises(FrozenError) { result.columns << "x" }
        assert_raises(FrozenError) { result.columns.first << "x" }
      end

      def test_inspect_shows_no_values
        assert_equal "#<Trunkline::Postgres::Result 3 rows (id, name) affected_rows=3>", result.inspect
      end
    end
  end
end
