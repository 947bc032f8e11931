# frozen_string_literal: true

require "bigdecimal"
require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # What a server may send beside rows, or in rows that are too large: within limits, and the neighbours go on.
    class UnreadableTest < TestCase
      include CodecTesting

      N = { "t" => QueryMessages::TEXT }.freeze
      private_constant :N

      # In one piece, and byte by byte.
      def in_pieces(bytes, &block)
        [bytes.bytesize, 1, 7].each do |size|
          begin_session(limit: 100)
          @statements = {}
          block.call(-> { bytes.scan(/.{1,#{size}}/mn) { |piece| answer(piece) } })
        end
      end

      def test_a_row_over_max_message_is_its_requests_own
        in_pieces(first_answer(N, ["x" * 200], ["y"]) + later_answer(["z"])) do |receive|
          long, next_one = ask("SELECT t"), ask("SELECT t")
          receive.call
          assert_equal "a row has 211 bytes, and the client takes 100 (max_message:)", long.unreadable.message
          assert_equal [true, false, nil, ["z"]], [long.done?, long.answered?, long.error, next_one.rows.flatten]
        end
      end

      def test_a_row_over_max_message_in_a_script_a_stream_and_a_copy
        script = row_description(N) + data_row("x" * 200) + complete + ready
        in_pieces(script) do |receive|
          request = submit(Request.script("SELECT t"))
          receive.call
          assert_equal [true, false], [request.done?, request.answered?]
        end
        in_pieces(frame("H", "\0\0\0") + frame("d", "#{"x" * 200}\n") + frame("d", "y\n") + frame("c") + complete("COPY 2") + ready) do |receive|
          request = submit(Request.copy("COPY t TO STDOUT", 10))
          receive.call
          assert_equal [[], "a row has 206 bytes, and the client takes 100 (max_message:)"], [codec.portion(request), request.unreadable.message]
        end
      end

      def test_a_row_over_max_message_where_no_row_can_come
        ask("SELECT t")
        begin_session(limit: 100)
        assert_nonsense data_row("x" * 200), /max_message is 100/
        ask("SELECT u")
        assert_nonsense data_row("x" * 200), /cannot come at this point/
      end

      # The steps of decoding that Ruby makes may raise whatever an application wants; as may a stand-in for them.
      def test_an_error_of_a_decoder_is_its_requests_own
        broken, next_one = ask("SELECT d"), ask("SELECT t")
        Kernel.stub(:BigDecimal, ->(*) { raise FloatDomainError, "no" }) do
          answer(first_answer({ "d" => 1700 }, ["1.5"], ["2"]) + first_answer(N, ["z"]))
        end
        assert_instance_of FloatDomainError, broken.unreadable
        assert_equal [false, ["z"]], [broken.answered?, next_one.rows.flatten]
      end

      def test_what_is_no_number_is_decoded_in_any_mode
        mode = BigDecimal.mode(BigDecimal::EXCEPTION_ALL)
        BigDecimal.mode(BigDecimal::EXCEPTION_ALL, true)
        request = ask("SELECT d")
        answer(first_answer({ "d" => 1700 }, ["NaN"], ["Infinity"], ["-Infinity"]))
        assert_predicate request, :answered?
        assert_equal [true, 1, -1], [request.rows[0][0].nan?, request.rows[1][0].infinite?, request.rows[2][0].infinite?]
      ensure
        BigDecimal.mode(BigDecimal::EXCEPTION_ALL, false)
        BigDecimal.mode(mode, true) if mode.positive?
      end

      # An array of six dimensions, each but the first of one element.
      def test_arrays_of_arrays_within_max_message
        begin_session(limit: 100_000)
        [["{#{(["{1}"] * 2501).join(",")}}", 1007], ["{#{(["{{{{{1}}}}}"] * 501).join(",")}}", 1007]].each do |text, type|
          wide, next_one = ask("SELECT a, #{text.size}"), ask("SELECT t, #{text.size}")
          answer(first_answer({ "a" => type }, [text]) + first_answer(N, ["z"]))
          assert_match(/more bytes of memory than max_message, 100000/, wide.unreadable.message)
          assert_predicate next_one, :answered?
        end
        bytes = [6, 0, 23].pack("N3") + [501, 1].pack("N2") + ([1, 1].pack("N2") * 5) + ("\xFF\xFF\xFF\xFF".b * 501)
        ask_and_answer("SELECT b", { "a" => 1007 }, ["{1}"])
        request = ask("SELECT b")
        answer(later_answer([bytes]))
        assert_instance_of UnreadableResult, request.unreadable
      end

      # Each column within the limit, but not all of them.
      def test_arrays_of_all_columns_of_a_row_together
        begin_session(limit: 100_000)
        columns = (1..10).to_h { |number| ["a#{number}", 1007] }
        wide, next_one = ask("SELECT a"), ask("SELECT t")
        answer(first_answer(columns, ["{#{(["{1}"] * 300).join(",")}}"] * 10) + first_answer(N, ["z"]))
        assert_match(/\Athe values of a row take more bytes of memory than max_message, 100000/, wide.unreadable.message)
        assert_predicate next_one, :answered?
      end

      def test_a_row_of_a_copy_that_cannot_be_given
        line, tuple = "{#{(["{1}"] * 2501).join(",")}}\n", [1].pack("n") + sized([[2, 0, 23, 2501, 1, 1, 1].pack("N*") + ("\xFF\xFF\xFF\xFF".b * 2501)])
        header = "PGCOPY\n\xFF\r\n\0#{"\0" * 8}".b
        { 0 => [line, "{1}\n"], 1 => [header, tuple, tuple, "\xFF\xFF"] }.each do |format, data|
          request = copy(format, data, ask_and_answer("SELECT a", { "a" => 1007 }, ["{1}"]).description)
          assert_equal [true, [], UnreadableResult], [request.done?, codec.portion(request), request.unreadable.class]
        end
      end

      def copy(format, data, description)
        begin_session(limit: 100_000)
        request = submit(Request.copy("COPY t TO STDOUT", 10))
        request.description = description
        answer(frame("H", [format, 1, format].pack("Cnn")) + data.map { |piece| frame("d", piece) }.join + frame("c") + complete("COPY 2") + ready)
        request
      end

      def begin_limited(limit)
        @codec = Codec.new({}, 1 << 20, nil, nil, limit)
        @statements = {}
        @sent_before = 0
      end

      def test_notices_within_max_unrequested
        begin_limited(1000)
        request = ask("SELECT t")
        answer(notice("x" * 100) * 500)
        assert_operator request.notices.bytesize, :<=, 1000
        kept = noticed(request.notices).size
        answer(first_answer(N, ["z"]))
        assert_predicate request, :answered?
        assert_match(/\A#{500 - kept} more notices were left out.*max_unrequested/, noticed(request.notices).last[:message])
      end

      def test_a_notice_over_max_message
        in_pieces(notice("x" * 200) + first_answer(N, ["z"])) do |receive|
          request = ask("SELECT t")
          receive.call
          assert_match(/\A1 more notices were left out/, noticed(request.notices).last[:message])
        end
      end

      def test_settings_within_max_unrequested
        begin_limited(1000)
        100.times { |number| answer(parameter_status("a", "x" * (number % 50))) }
        assert_nonsense Array.new(100) { |number| parameter_status("name#{number}", "x") }.join, /max_unrequested is 1000/
      end

      def test_notifications_within_max_unrequested
        begin_limited(1000)
        answer((0..99).map { |number| notification("c", number.to_s) }.join)
        first, *rest = codec.take_notifications.map { |body| Notification.parse(body) }
        assert_predicate first, :gap?
        assert_equal [true, "99"], [rest.size.between?(5, 25), rest.last.payload]
        answer(notification("c", "x"))
        assert_equal ["x"], codec.take_notifications.map { |body| Notification.parse(body).payload }
      end
    end
  end
end
