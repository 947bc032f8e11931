# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # COPY in the codec, without a server.
    class CopyTest < TestCase
      include CodecTesting

      HEADER = "PGCOPY\n\xFF\r\n\0\0\0\0\0\0\0\0\0".b.freeze
      private_constant :HEADER

      def test_data_that_is_sent
        copy = begin_copy("G")
        codec.copy_data(copy, "a\tb\n")
        rows = Bytes.new
        assert_equal 4, Postgres.copy_text(rows, [1, nil], false) - 1
        codec.copy_rows(copy, rows)
        assert_equal true, rows.empty?
        codec.copy_done(copy)
        assert_equal frame("d", "a\tb\n") + frame("d", "1\t\\N\n") + frame("c"), sent
        assert_nil codec.copy_data(copy, "late")
        answer(complete("COPY 2") + ready)
        assert_equal [true, 2], [copy.answered?, copy.affected_rows]
      end

      def test_long_data_goes_in_pieces
        copy = begin_copy("G")
        codec.copy_data(copy, "x" * 65_537)
        assert_equal frame("d", "x" * 65_536) + frame("d", "x"), sent
      end

      def test_what_is_abandoned
        copy = begin_copy("G")
        codec.copy_fail(copy, "no")
        assert_equal frame("f", "no\0"), sent
        answer(failure("57014") + ready)
        assert_equal [true, false], [copy.done?, copy.answered?]
        assert_raises(ArgumentError) { codec.copy_fail(begin_copy("G"), "\0") }
      end

      # What the server says no more to is not sent.
      def test_data_behind_an_error
        copy = begin_copy("G")
        answer(failure + ready)
        assert_nil codec.copy_data(copy, "x")
        assert_nil codec.copy_done(copy)
        assert_equal "", sent
      end

      # The rest stays where it is until the portion is taken.
      def test_rows_in_portions
        copy = begin_copy("H", rows: 2)
        answer(%W[a\n b\n c\n].map { |line| frame("d", line) }.join + frame("c") + complete("COPY 3") + ready)
        assert_equal [true, false, %W[a\n b\n]], [copy.portion?, copy.done?, codec.portion(copy)]
        answer("")
        assert_equal [%W[c\n], true], [codec.portion(copy), copy.answered?]
      end

      def test_large_rows_in_smaller_portions
        copy = begin_copy("H", rows: 100)
        4.times { answer(frame("d", "x" * 300_000)) }
        assert_equal 2, codec.portion(copy).size
      end

      # As rows, they stay where they are when there are many.
      def test_notices_in_portions
        copy = begin_copy("H", rows: 100)
        4.times { |number| answer(notice(number.to_s * 300_000)) }
        taken = -> { noticed(codec.flow_notices(copy)).map { |fields| fields[:message][0] } }
        assert_equal [%w[0 1], []], [taken.call, taken.call]
        answer(frame("d", "row\n"))
        assert_equal [%w[2 3], [], %w[row]], [taken.call, codec.portion(copy), (answer("") && codec.portion(copy)).map(&:chomp)]
      end

      def test_rows_that_are_not_taken
        copy = begin_copy("H", rows: 1)
        copy.fail(nil)
        answer(frame("N", "SNOTICE\0\0"))
        assert_nil codec.flow_notices(copy)
        answer(%W[a\n b\n].map { |line| frame("d", line) }.join + frame("c") + complete("COPY 2") + ready)
        assert_equal [true, []], [codec.idle?, codec.portion(copy)]
      end

      def test_values_in_text
        assert_equal [[1, "a\tb\\\n\r\v\b\fx", nil]], decoded("1\ta\\tb\\\\\\n\\r\\v\\b\\f\\x\t\\N\n")
        assert_equal [[nil, "", "\\N"]], decoded("\\N\t\t\\\\N\n")
      end

      def test_values_in_binary
        rows = HEADER + binary_row("\0\0\0\1", "a", nil) + binary_row(nil, "", "b") + "\xFF\xFF".b
        assert_equal [[1, "a", nil], [nil, "", "b"]], decoded(rows, format: 1)
      end

      def test_text_that_makes_no_sense
        ["", "1\ta\tb", "1\ta\n", "1\ta\tb\tc\n", "1\ta\tb\\\n", "x\ta\tb\n"].each do |line|
          begin_session
          copy = begin_copy("H", description: columns)
          assert_raises(ProtocolError, line.inspect) { answer(frame("d", line)) }
          refute_predicate copy, :done?
        end
      end

      def test_binary_that_makes_no_sense
        whole = HEADER + binary_row("\0\0\0\1", "a", nil)
        (whole.bytesize - 1).times { |size| assert_broken_binary(whole.byteslice(0, size)) unless size == HEADER.bytesize }
        assert_broken_binary(whole.sub("PGCOPY", "PGCOPI"))
        assert_broken_binary(HEADER + [2, -1, -1].pack("nl>l>"))
        assert_broken_binary(HEADER + [3, 5].pack("nN") + "abc")
        assert_broken_binary("PGCOPY\n\xFF\r\n\0\0\1\0\0\0\0\0\0".b)
      end

      def test_messages_where_no_copy_is
        { frame("d", "x") => /'d', which cannot come at this point/, frame("c") => /'c', which cannot come at this point/, frame("G", "\0\0\0") => /use copy_in or copy_out/,
          frame("H", "\0\0\0") => /use copy_in or copy_out/, frame("W", "\0\0\0") => /use copy_in/ }.each do |bytes, expected|
          begin_session
          ask("SELECT 1")
          assert_nonsense bytes, expected
        end
      end

      def test_other_messages_within_a_copy
        unasked = [data_row("1"), row_description({ "n" => INT4 }), no_data, parameter_description].to_h { |bytes| [bytes, /cannot come at this point/] }
        { **unasked, frame("G", "\0\0\0") => /COPY cannot run here/, ready => /before the answer was complete/ }.each do |bytes, expected|
          begin_session
          begin_copy("H")
          assert_nonsense bytes, expected
        end
        begin_session
        submit(Request.copy("COPY t FROM STDIN", 1))
        assert_nonsense frame("G", "\0"), /ends too early/
      end

      def test_what_a_row_needs_ruby_for
        rows = Bytes.new
        [[Object.new], ["\xFF"], ["a\0"], ["\xFF".b], [Time.now], [[]], ["ä".encode("ISO-8859-1")]].each do |row|
          assert_nil Postgres.copy_text(rows, [1] + row, false)
          assert_equal "", rows.to_s
        end
        Postgres.copy_text(rows, [true, false, :a, 2**70, -(2**62), 1.0e20, Float::NAN, "\x01\xFE".b], true)
        assert_equal "t\tf\ta\t1180591620717411303424\t-4611686018427387904\t1e+20\tNaN\t\\\\x01fe\n", rows.to_s
      end

      def test_wrong_arguments
        assert_raises(TypeError) { Postgres.copy_text(Bytes.new, "row", false) }
        assert_raises(TypeError) { Postgres.copy_text("bytes", [], false) }
        assert_raises(ArgumentError) { Postgres.copy_binary(Bytes.new, [1], [], false) }
        assert_raises(TypeError) { codec.portion("request") }
        assert_raises(ArgumentError) { codec.portion(ask("SELECT 1")) }
        assert_raises(TypeError) { codec.copy_rows(begin_copy("G"), "rows") }
      end

      private

      def begin_copy(response, rows: 10, description: nil, format: 0)
        begin_session
        copy = Request.copy("COPY", rows)
        copy.description = description
        submit(copy)
        sent
        answer(frame(response, [format, 3, format, format, format].pack("Cn*")))
        assert_equal response == "G" ? :in : :out, copy.copying
        copy
      end

      def columns
        request = ask("SELECT 1")
        answer(first_answer({ "a" => INT4, "b" => TEXT, "c" => TEXT }))
        request.description
      end

      def decoded(data, format: 0)
        begin_session
        description = columns
        copy = begin_copy("H", description: description, format: format)
        answer(frame("d", data))
        codec.portion(copy)
      end

      def binary_row(*values) = [values.size].pack("n") + sized(values)

      def assert_broken_binary(data)
        begin_session
        description = columns
        begin_copy("H", description: description, format: 1)
        assert_raises(ProtocolError, data.inspect) { answer(frame("d", data)) }
      end
    end

    # What is read out of a COPY statement.
    class CopyStatementTest < TestCase
      def test_what_it_copies
        { "COPY t FROM STDIN" => ["t", nil, nil, true], "copy a.\"T t\" (a, \"b)\") to stdout;" => ["a.\"T t\"", "a, \"b)\"", nil, true],
          "/* x */ ; COPY (SELECT (1), ')' FROM t) TO STDOUT WITH (FORMAT binary)" => [nil, nil, "SELECT (1), ')' FROM t", true],
          "COPY BINARY t FROM STDIN" => ["t", nil, nil, true], "COPY t FROM STDIN CSV" => ["t", nil, nil, false],
          "COPY t FROM STDIN (DELIMITER ',')" => ["t", nil, nil, false], "COPY t FROM STDIN (FORMAT text, FREEZE true)" => ["t", nil, nil, true],
          "COPY t FROM STDIN (FORMAT 'TEXT') WHERE id > 1" => ["t", nil, nil, true], "COPY t FROM STDIN NULL ''" => ["t", nil, nil, false] }.each do |sql, parts|
          assert_equal parts, Statement.new(sql, 0).copy, sql
        end
      end

      def test_what_is_none
        ["", "SELECT 1", "COPY", "COPY t", "COPY t FROM 'file'", "COPY t TO PROGRAM 'x'", "COPY (SELECT 1", "COPY 1 FROM STDIN", "COPY t (a FROM STDIN",
         "COPY t FROM", "EXPLAIN COPY t FROM STDIN"].each { |sql| assert_nil Statement.new(sql, 0).copy, sql }
      end
    end
  end
end
