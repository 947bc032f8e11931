# frozen_string_literal: true

require "test_helper"
require "support/object_memory"

module Trunkline
  module Postgres
    # What decoders make of a server's bytes is counted as no less than it takes, and as not much more.
    class DecodedMemoryTest < TestCase
      COUNT = 200
      # A value of each built-in type: the texts that become most memory for each byte, and usual ones.
      TEXTS = {
        16 => %w[t], 17 => ["\\x", "\\x00ff"], 18 => ["", "a"], 19 => ["", "name"], 20 => %w[1 9223372036854775807], 21 => %w[1], 23 => %w[1 -77],
        25 => ["", "a", "twenty-four characters..", "ü" * 300], 26 => %w[1 4294967295], 142 => ["", "<a/>"], 650 => %w[0.0.0.0/0 ::/0],
        700 => %w[1 1.5 1e-38], 701 => %w[1 1.5 1e300 NaN], 869 => %w[0.0.0.0 10.0.0.0/8 ::1 2001:db8::/32], 1042 => ["", "a"], 1043 => ["", "a"],
        1082 => %w[2000-01-01 0001-01-01], 1083 => %w[00:00:00 23:59:59.999999], 1114 => ["2000-01-01 00:00:00", "0001-01-01 00:00:00.5"],
        1184 => ["2000-01-01 00:00:00+00"], 1186 => ["00:00:00", "1 year 2 mons 3 days 04:05:06", "2562047788:00:54.775807"], 1266 => ["00:00:00+00"],
        1700 => ["1", "0", "1.5", "-0.00000001", "1" * 40, "#{"9" * 1000}.#{"1" * 100}"], 2950 => ["00000000-0000-0000-0000-000000000000"]
      }.freeze
      # Beginning, what recurs, and end.
      DOCUMENTS = [
        ["[", "{},", "{}]"], ["[", "[],", "[]]"], ["[", '"",', '""]'], ["[", '{"":1},', "1]"], ["[", '{"a":"b"},', "1]"], ["[", "1,", "1]"],
        ["[", "1e300,", "1]"], ["[", "1234567890123456789012,", "1]"], ["[", "0.12345678901234567,", "1]"], ["[", "-1.5E-3,", "1]"], ["[", "-0.0,", "1]"], ["[", "-0.0E-0,", "1]"], ["[", "1e66,", "1]"], ["[", "1.5e-60,", "1]"], ["[", "1.5e-77,", "1]"],
        ["[", "null,", "null]"], ["[", "[[[]]],", "1]"], ["[", "#{"[" * 50}1#{"]" * 50},", "1]"], ["[", '{"a":{"b":{"c":{}}}},', "1]"],
        ["[", '"\\"\\\\[{,:",', "1]"], ["[", "\"#{"ü" * 40}\",", "1]"], ["[", "[1,2,3,4],", "1]"], ["[", " [ 1 , true ] ,\n", "1]"],
        ["[", "{#{(1..8).map { |key| %("k#{key}":#{key}) }.join(",")}},", "1]"], ["[", "{#{(1..9).map { |key| %("k#{key}":#{key}) }.join(",")}},", "1]"]
      ].freeze

      def test_arrays_of_every_type_in_both_formats
        TEXTS.each do |oid, texts|
          texts.each do |text|
            literal = "\"#{text.gsub("\\") { "\\\\" }}\""
            check([oid, text], 4) { |memory| Postgres.decode(oid, true, 0, "{#{([literal] * COUNT).join(",")}}", memory) }
            check([oid, text, :nested], 4) { |memory| Postgres.decode(oid, true, 0, "{#{(["{{#{literal}}}"] * COUNT).join(",")}}", memory) }
          end
        end
        BINARY.each do |oid, bytes|
          items = [bytes.bytesize].pack("N") + bytes
          check([oid, :binary], 4) { |memory| Postgres.decode(oid, true, 1, [1, 0, oid, COUNT, 1].pack("N*") + (items * COUNT), memory) }
          check([oid, :binary, :nested], 4) { |memory| Postgres.decode(oid, true, 1, [3, 0, oid, COUNT, 1, 1, 1, 1, 1].pack("N*") + (items * COUNT), memory) }
        end
      end

      BINARY = {
        16 => "\1", 17 => "", 20 => ("\x7f".b + ("\xff".b * 7)), 23 => "\0\0\0\1", 25 => "", 701 => [1e300].pack("G"), 869 => "\2\x20\0\4\0\0\0\0".b, 1082 => "\0\0\0\0",
        1083 => "\0" * 8, 1114 => "\0" * 8, 1186 => "\0" * 16, 1266 => "\0" * 12, 1700 => "\0" * 8, 2950 => "\0" * 16, 3802 => "\1{}"
      }.freeze

      def test_all_types_are_among_these
        missing = (1..4000).select { |oid| Postgres.builtin_type(oid)&.then { |type, array, _, array_oid| type == oid && !array && array_oid != 0 } } - TEXTS.keys
        assert_equal [114, 3802], missing
      end

      def test_documents
        DOCUMENTS.each do |first, middle, last|
          text = "#{first}#{middle * COUNT}#{last}"
          check(text[0, 60], 2.5) { |memory| finish(3802, text, memory) }
          check(text[0, 60], 3.5) { |memory| finish(3807, [middle[..-2].delete_suffix(",")] * COUNT, memory) }
        end
      end

      # Ruby keeps a key once.
      def test_keys_that_recur_are_counted_once
        [1, 3, 8, 9, 20, 33].each do |keys|
          object = "{#{(1..keys).map { |key| %("a longer key #{key}":#{key}) }.join(",")}}"
          check([keys, :recur], 2.2) { |memory| finish(3802, "[#{([object] * COUNT).join(",")}]", memory) }
        end
      end

      def test_documents_with_few_keys_by_chance
        random = Random.new(Minitest.seed)
        100.times do
          text = document(random, 6) { random.rand(30) }
          check(text, 3, slack: 400) { |memory| finish(3802, text, memory) }
        end
      end

      # No key recurs here.
      def test_documents_by_chance
        random = Random.new(Minitest.seed)
        200.times do
          text = document(random, 6)
          check(text, 3, slack: 400) { |memory| finish(3802, text, memory) }
        end
      end

      def test_a_document_with_many_keys
        [*1..70, 100, 127, 128, 129, 1000, 1024].each do |count|
          text = "{#{(1..count).map { |key| %("key #{key}":null) }.join(",")}}"
          check(count, 2.5) { |memory| finish(114, text, memory) }
        end
      end

      # json makes a String with an escape in a buffer for all of its text.
      def test_strings_with_escapes
        (1..70).each do |length|
          ["\\u00e9" * length, "#{"a" * length}\\n", "\\\"#{"é" * length}"].each do |escaped|
            check([length, escaped], 3) { |memory| finish(3802, "[#{(["\"#{escaped}\""] * COUNT).join(",")}]", memory) }
          end
        end
      end

      # What is no document is counted, too, and raises what JSON raises.
      def test_what_is_no_document
        ["", "\"", "\"\\", "[", "{", "}}]]", ":::,,,", "{\"a\"", "1e", "\\", "nul"].each do |text|
          assert_kind_of Integer, RowMemory.new.take_json(text).taken
          assert_raises(JSON::ParserError) { finish(114, text, RowMemory.new) }
        end
        RowMemory.new.take_json("[" * 1_000_000)
        RowMemory.new.take_json("{\"a\":" * 10_000)
      end

      def test_networks
        %w[0.0.0.0 10.0.0.0/8 ::1 2001:db8::/32].each { |text| check(text, 4) { |memory| finish(1041, [text] * COUNT, memory) } }
      end

      def test_types_that_extensions_and_users_define
        texts = (1..COUNT)
        hstore = Types.const_get(:HstoreKind)
        check(:hstore, 4) { |memory| hstore.decode(texts.map { |key| %("#{key}"=>"") }.join(", "), memory) }
        check(:vector, 20) { |memory| Types::VectorKind.decode("[#{(["1"] * COUNT).join(",")}]", memory) }
        check(:vector, 4) { |memory| Types::VectorKind.decode("[#{(["1e300"] * COUNT).join(",")}]", memory) }
        ranges = { 23 => "[1,2)", 20 => "(,)", 1700 => "[1.5,2]", 1082 => "[2000-01-01,2001-01-01)", 25 => "(a,b)" }
        ranges.each do |bound, text|
          range = Types::RangeKind.new(Types::Entry.new(bound, false, nil))
          check([:range, text], 6) { |memory| Types::MultirangeKind.new(range).decode("{#{([text] * COUNT).join(",")}}", memory) }
          check([:ranges, text], 6) { |memory| Types::Entry.new(25, true, range).decode("{#{(["\"#{text}\""] * COUNT).join(",")}}", memory) }
        end
      end

      def test_composites
        { 25 => "\"\"", 23 => "1", 1700 => "1", 3802 => "{}", 869 => "::1", 1186 => "00:00:00" }.each do |oid, text|
          kind = Types::CompositeKind.new((1..COUNT).to_h { |number| ["a#{number}", Types::Entry.new(oid, false, nil)] })
          shared = kind.instance_variable_get(:@attributes).keys
          check([:composite, oid], 6, shared: shared) { |memory| kind.decode("(#{([text] * COUNT).join(",")})", memory) }
        end
      end

      private

      def finish(oid, value, memory) = Types.finisher(oid).call(value, memory)

      # What is counted is at least what the value takes, and at most so many times that; with less room, it is refused.
      def check(what, most, slack: 0, shared: [])
        memory = RowMemory.new
        value = yield memory
        real = ObjectMemory.of(value, shared: shared) - own_size(value)
        assert_operator memory.taken, :>=, real, what.inspect
        assert_operator memory.taken, :<=, (real * most) + (most * 200) + slack, what.inspect
        assert_raises(UnreadableResult, what.inspect) { yield RowMemory.new(memory.taken - 1) } if memory.taken.positive?
        yield RowMemory.new(memory.taken)
      end

      # A String, number or object that is not in an Array comes to be by the bytes of the row alone.
      def own_size(value) = value.is_a?(Array) || value.is_a?(Hash) ? 0 : ObjectSpace.memsize_of(value)

      def document(random, depth, &suffix)
        suffix ||= -> { random.rand(10**9) }
        case random.rand(depth.positive? ? 9 : 6)
        when 0 then random.rand(10**random.rand(1..30)).to_s
        when 1 then (random.rand * (10.0**random.rand(-300..300))).to_s
        when 2 then %w[true false null].sample(random: random)
        when 3..5 then "a\\\"[]{},:é".chars.sample(random.rand(8), random: random).join.to_json
        when 6 then "[#{Array.new(random.rand(12)) { document(random, depth - 1, &suffix) }.join(",")}]"
        else "{#{Array.new(random.rand(12)) { |key| "\"#{key}-#{suffix.call}\":#{document(random, depth - 1, &suffix)}" }.join(",")}}"
        end
      end
    end
  end
end
