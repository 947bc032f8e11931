# frozen_string_literal: true

require "objspace"
require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Bytes that PostgreSQL would never send, and those that it may send at any time.
    class ReceiveTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      # A message that says it is as long as that.
      def liar(type, length, body = "") = type.b + [length].pack("N") + body

      def test_impossible_lengths
        [0, 1, 2, 3, 0x80000000, 0xFFFFFFFF].each do |length|
          "TDCEZNSA1x\0\xFF".b.each_char do |type|
            begin_session
            ask("SELECT 1")
            assert_nonsense liar(type, length), /impossible length/
          end
        end
      end

      def test_a_message_far_too_long
        [CodecTesting::LIMIT + 1, 0x7FFFFFFF].each do |length|
          begin_session
          assert_nonsense liar("D", length), /a message of #{length + 1} bytes/
        end
      end

      def test_a_message_as_long_as_allowed
        begin_session(limit: 100)
        request = ask("SELECT 1")
        answer(parse_complete + parameter_description + row_description({ "n" => TEXT }) + bind_complete)
        answer(data_row("x" * 90))
        assert_equal "x" * 90, request.value
        answer(data_row("x" * 91))
        assert_equal "a row has 102 bytes, and the client takes 100 (max_message:)", request.unreadable.message
      end

      def test_a_length_that_is_too_short_for_what_follows
        whole = row_description(N)
        (4...whole.bytesize - 1).each do |length|
          begin_session
          ask("SELECT 1")
          answer(parse_complete + parameter_description)
          assert_nonsense liar("T", length, whole.byteslice(5..)), /RowDescription/
        end
      end

      def test_rows_cut_short
        whole = data_row("123", nil, "x").byteslice(5..)
        whole.bytesize.times do |size|
          begin_session
          ask("SELECT 1")
          answer(parse_complete + parameter_description + row_description({ "a" => INT4, "b" => TEXT, "c" => TEXT }) + bind_complete)
          assert_nonsense frame("D", whole.byteslice(0, size)), /DataRow/
        end
      end

      def test_rows_that_continue
        ask("SELECT 1")
        answer(parse_complete + parameter_description + row_description(N) + bind_complete)
        assert_nonsense frame("D", "#{data_row("1").byteslice(5..)}x"), /has bytes after its last value/
      end

      def test_rows_of_another_width
        [[], %w[1 2], ["1"] * 65_535].each do |values|
          begin_session
          ask("SELECT 1")
          answer(parse_complete + parameter_description + row_description(N) + bind_complete)
          assert_nonsense data_row(*values), /columns that were described/
        end
      end

      def test_values_with_impossible_lengths
        [5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE].each do |length|
          begin_session
          ask("SELECT 1")
          answer(parse_complete + parameter_description + row_description(N) + bind_complete)
          assert_nonsense frame("D", [1, length].pack("nN") + "1234"), /ends within a value/
        end
      end

      def test_values_that_are_none_of_their_type
        { INT4 => "1x", FLOAT8 => "one", 1184 => "yesterday", 17 => "\\xZZ", 1700 => "1,5" }.each do |type, bytes|
          begin_session
          ask("SELECT 1")
          answer(parse_complete + parameter_description + row_description({ "n" => type }) + bind_complete)
          assert_nonsense data_row(bytes), /malformed value/
        end
      end

      def test_wide_rows
        request = ask("SELECT many")
        columns = (1..1600).to_h { |number| ["c#{number}", INT4] }
        answer(first_answer(columns, (1..1600).map(&:to_s), [nil] * 1600))
        assert_equal [(1..1600).to_a, [nil] * 1600], request.rows
      end

      def test_column_counts_that_lie
        columns = row_description({ "a" => 23, "b" => 23 }).byteslice(7..)
        [0, 1, 3, 1000, 65_535].each do |count|
          begin_session
          ask("SELECT 1")
          answer(parse_complete + parameter_description)
          assert_nonsense frame("T", [count].pack("n") + columns), /RowDescription/
        end
      end

      def test_descriptions_cut_short
        whole = row_description({ "abc" => 23, "de" => 25 }).byteslice(5..)
        whole.bytesize.times do |size|
          begin_session
          ask("SELECT 1")
          answer(parse_complete + parameter_description)
          assert_nonsense frame("T", whole.byteslice(0, size)), /RowDescription/
        end
      end

      def test_parameter_counts_that_lie
        ["", "\0", "\0\2", "\0\1\0\0\0", "\0\2\0\0\0\x17", "\0\1\0\0\0\x17\0", "\xFF\xFF\0\0\0\x17"].each do |body|
          begin_session
          ask("SELECT 1")
          answer(parse_complete)
          assert_nonsense frame("t", body), /ParameterDescription/
        end
      end

      def test_a_name_without_an_end
        ask("SELECT 1")
        answer(parse_complete + parameter_description)
        assert_nonsense frame("T", "\0\1#{"x" * 40}"), /RowDescription/
      end

      def test_parameter_status_cut_short
        ["", "a", "a\0", "a\0b", "\0"].each do |body|
          begin_session
          assert_nonsense frame("S", body), /ParameterStatus/
        end
      end

      def test_ready_for_query_of_another_length
        ["", "II", "I" * 1000].each do |body|
          begin_session
          ask("SELECT 1")
          assert_nonsense frame("Z", body), /ReadyForQuery/
        end
      end

      def test_answers_without_a_question
        [ready, complete, data_row("1"), row_description(N), parse_complete, bind_complete, close_complete, no_data, empty_query,
         parameter_description, frame("s")].each do |bytes|
          begin_session
          assert_nonsense bytes, /no request is in flight/
        end
      end

      def test_one_answer_too_many
        request = ask("SELECT 1")
        assert_nonsense first_answer(N, ["1"]) + later_answer(["2"]), /no request is in flight/
        assert_equal [[1]], request.rows
      end

      def test_messages_of_unknown_type
        known = "DC21tTnIEGHWZSAN3scd".bytes
        ((0..255).to_a - known).each do |type|
          begin_session
          ask("SELECT 1")
          assert_nonsense liar(type.chr, 4), /unknown type #{type}\b/
        end
      end

      def test_a_row_before_its_description
        ask("SELECT 1")
        assert_nonsense parse_complete + bind_complete + data_row("1"), /message '2', which cannot come at this point/
      end

      def test_a_description_of_parameters_for_a_script
        submit(Request.script("SELECT 1"))
        assert_nonsense parameter_description(23), /message 't', which cannot come at this point/
      end

      def test_no_answer_is_no_answer
        { query: -> { ask("SELECT 1") }, describe: -> { submit(Request.describe(statement("SELECT 1"))) },
          script: -> { submit(Request.script("SELECT 1")) } }.each do |kind, question|
          begin_session
          question.call
          assert_nonsense ready, /before/
        end
      end

      def test_rows_and_no_end
        ask("SELECT 1")
        assert_nonsense parse_complete + parameter_description + row_description(N) + bind_complete + data_row("1") + ready, /before/
      end

      def test_rows_behind_the_end
        ask("SELECT 1")
        assert_nonsense parse_complete + parameter_description + row_description(N) + bind_complete + complete("SELECT 0") + data_row("1"),
                        /message 'D', which cannot come at this point/
      end

      def test_an_end_without_a_description
        ask("SELECT 1")
        assert_nonsense parse_complete + parameter_description + bind_complete, /message '2', which cannot come at this point/
      end

      def test_copies
        %w[G H W].each do |type|
          begin_session
          ask("COPY t FROM STDIN")
          assert_nonsense parse_complete + parameter_description + no_data + bind_complete + frame(type, "\0\0\0"), /COPY/
        end
      end

      # Whatever is asked or answered: news of the session may come before any message.
      def test_news_between_any_messages
        messages = [parse_complete, parameter_description, row_description(N), bind_complete, data_row("1"), complete, ready, nil]
        news = parameter_status("TimeZone", "Asia/Tokyo") + notification("jobs", "x") + notice("hm") + parameter_status("a", "")
        messages.each_index do |place|
          begin_session
          request = ask("SELECT 1")
          answer(messages.dup.insert(place, news).join)
          assert_equal [[1]], request.rows, place
          assert_equal({ "TimeZone" => "Asia/Tokyo", "a" => "" }, codec.parameters)
          assert_equal place == 7 ? 0 : 1, noticed(request.notices).size
        end
      end

      def test_news_in_an_idle_session
        answer(parameter_status("TimeZone", "UTC") + notification("jobs", "x") + notice("hm"))
        assert_equal "UTC", codec.parameters["TimeZone"]
        assert_equal [[1]], ask_and_answer("SELECT 1", N, ["1"]).rows
      end

      def test_news_while_statements_are_closed
        codec.submit(Request.query(statement("broken"), []))
        answer(failure("42601") + ready)
        ask("SELECT 1")
        answer(notice("hm") + close_complete + notification("jobs", "x") + ready + first_answer(N, ["1"]))
        assert_predicate codec, :idle?
      end

      def test_any_bytes_as_an_error
        ["", "\0", "M", "Mno end", "C\0", "C2600\0\0", "\xFF\xFE".b, "C26000"].each do |body|
          begin_session
          request = ask("SELECT 1")
          answer(frame("E", body) + ready)
          assert_kind_of Hash, ErrorFields.parse(request.error)
          assert_kind_of ServerError, ServerError.from_fields(ErrorFields.parse(request.error))
        end
      end

      # A connection that is idle after a long answer does not hold on to its memory.
      def test_memory_comes_back_after_a_long_answer
        begin_session(limit: 1 << 25)
        request = ask("SELECT long")
        answer(first_answer({ "t" => TEXT }, ["x" * 20_000_000]))
        assert_equal 20_000_000, request.value.bytesize
        assert_operator ObjectSpace.memsize_of(codec.input), :<, 2_000_000
      end

      def test_command_tags
        { "SELECT 5" => 5, "INSERT 0 12" => 12, "UPDATE 0" => 0, "CREATE TABLE" => nil, "" => nil, "7" => nil, "SELECT " => nil,
          "COPY 999999999999999999" => 999_999_999_999_999_999, "SELECT 9999999999999999999" => nil, "SELECT -1" => nil }.each do |tag, rows|
          begin_session
          request = ask("SELECT 1")
          answer(first_change(tag))
          rows.nil? ? assert_nil(request.affected_rows, tag) : assert_equal(rows, request.affected_rows, tag)
        end
      end
    end
  end
end
