# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # An answer passes through exactly the messages that its request has asked for.
    class AnswerOrderTest < TestCase
      include CodecTesting

      N = { "n" => QueryMessages::INT4 }.freeze
      private_constant :N

      # What is asked, and the one answer that is right, message by message.
      def conversations
        { new: [-> { ask("SELECT n") }, [parse_complete, parameter_description, row_description(N), bind_complete, data_row("1"), complete, ready]],
          known: [-> { known("SELECT n") }, [bind_complete, data_row("\0\0\0\1"), complete, ready]],
          change: [-> { ask("DELETE") }, [parse_complete, parameter_description, no_data, bind_complete, complete("DELETE 1"), ready]],
          command: [-> { ask("FETCH c") }, [parse_complete, parameter_description, no_data, bind_complete, row_description(N), data_row("1"), complete, ready]],
          describe: [-> { submit(Request.describe(statement("SELECT 2"))) }, [parse_complete, parameter_description, row_description(N), ready]],
          preamble: [-> { behind_preamble }, [parse_complete, bind_complete, data_row("x"), complete, bind_complete, data_row("\0\0\0\1"), complete, ready]],
          guarded: [-> { guarded }, [bind_complete, data_row("1"), complete, bind_complete, data_row("\0\0\0\1"), complete, ready]],
          dependent: [-> { dependent }, [parse_complete, ready, parse_complete, parameter_description(25), row_description(N), bind_complete, data_row("1"), complete, bind_complete, data_row("1"), complete, ready]],
          script: [-> { submit(Request.script("SELECT 1")) }, [row_description(N), data_row("1"), complete, ready]],
          copy: [-> { submit(Request.copy("COPY t TO STDOUT", 9)) }, [frame("H", "\0\0\0"), frame("d", "1\n"), frame("c"), complete("COPY 1"), ready]],
          batch: [-> { batch }, [bind_complete, data_row("\0\0\0\1"), complete, bind_complete, data_row("\0\0\0\1"), complete, ready]],
          fence: [-> { submit(Request.script("SELECT 1").fence) }, [ready]] }
      end

      def known(sql)
        ask_and_answer(sql, N, ["1"])
        ask(sql)
      end

      def behind_preamble
        ask_and_answer("SELECT n", N, ["1"])
        request = Request.query(statement("SELECT n"), [])
        request.preamble = ["SET LOCAL a.b = 1"]
        submit(request)
      end

      # The session has prepared the guard before.
      def guarded
        request = -> { Request.query(statement("SELECT n"), []).tap { |made| made.guard = [0, "SELECT 1", [].freeze, [].freeze].freeze } }
        submit(request.call)
        answer(parse_complete + ready + bind_complete + data_row("1") + complete + first_answer(N, ["1"]))
        submit(request.call)
      end

      # Its value was written for a type that the session has not described.
      def dependent = submit(Request.dependent(statement("SELECT $1"), ["x"], [:given], [25]))

      def batch
        ask_and_answer("SELECT n", N, ["1"])
        submit(Request.batch(Array.new(2) { Request.query(statement("SELECT n"), []) }, true))
      end

      def begin_with(question)
        begin_session
        @statements = {}
        question.call
      end

      def test_the_right_answers
        conversations.each do |name, (question, messages)|
          request = begin_with(question)
          answer(messages.join)
          assert_predicate request, :answered?, name
        end
      end

      # What comes at any time is no part of the order.
      def test_news_between_any_two
        conversations.each do |name, (question, messages)|
          request = begin_with(question)
          answer(messages.map { |message| notice("x") + parameter_status("a", "b") + notification("c", "d") + message }.join)
          assert_predicate request, :answered?, name
        end
      end

      # Each other message, at each place, in vain.
      def test_any_other_message_at_any_place
        others = [parse_complete, bind_complete, close_complete, parameter_description, row_description(N), no_data, data_row("1"), complete, empty_query,
                  frame("s"), ready, frame("G", "\0\0\0"), frame("H", "\0\0\0"), frame("W", "\0\0\0"), frame("d", "1\n"), frame("c"), frame("R"), frame("K")]
        conversations.each do |name, (question, messages)|
          messages.each_index do |place|
            (others - alternatives(name, messages, place)).each do |other|
              request = begin_with(question)
              assert_raises(ProtocolError, "#{name} #{place} #{other.inspect}") { answer(messages.take(place).join + other) }
              refute_predicate request, :done?
            end
          end
        end
      end

      # What may come at this place as well as what does.
      def alternatives(name, messages, place)
        types = [messages[place], messages[place - 1]].map { |message| message[0] }
        rows = place.positive? && types.include?("D") ? [data_row("1"), complete, empty_query] : []
        rows += [data_row("1"), complete, empty_query] if place.positive? && types.first == "C" && %w[2 D].include?(types.last)
        described = types.first == "T" || types.first == "n" ? [row_description(N), no_data] : []
        described += [parameter_description] if types.first == "t"
        script = name == :script ? [row_description(N), complete, *(place.zero? ? [empty_query] : [])] : []
        copy = name == :copy ? [complete, frame("d", "1\n"), frame("c"), *(place.zero? ? [frame("G", "\0\0\0"), empty_query, frame("H", "\0\0\0")] : [])] : []
        [messages[place], *rows, *described, *script, *copy]
      end

      # It may be used on other connections: only an answer that has come to its end in good order teaches it.
      def test_what_a_broken_answer_told_of_parameters_is_not_remembered
        ask("SELECT n")
        answer(parse_complete + parameter_description(INT4, INT4))
        assert_nil statement("SELECT n").parameter_types
        assert_raises(ProtocolError) { answer(row_description(N) + bind_complete) } # of no parameters, where there are two
        assert_nil statement("SELECT n").parameter_types
      end

      def test_a_row_of_a_statement_that_returns_none
        ask("DELETE")
        assert_nonsense parse_complete + parameter_description + no_data + bind_complete + data_row, /returns none/
      end

      def test_a_tag_without_an_end
        ["", "SELECT 1"].each do |body|
          begin_with(-> { ask("SELECT n") })
          assert_nonsense parse_complete + parameter_description + row_description(N) + bind_complete + frame("C", body), /CommandComplete/
        end
      end

      def test_a_state_that_there_is_not
        "XU\0 i".each_char do |state|
          begin_with(-> { submit(Request.script("SELECT 1").fence) })
          assert_nonsense ready(state), /ReadyForQuery/
        end
      end

      # What the codec asks for itself is answered in order, too.
      def test_closes
        begin_session
        @statements = {}
        ask("SELECT n")
        answer(failure("42601") + ready) # its name is to be closed
        [[close_complete, ready], [failure, ready]].each do |messages|
          request = closing
          answer(messages.join + first_answer(N, ["1"]))
          assert_predicate request, :answered?
        end
        [ready, close_complete + close_complete, bind_complete, data_row("1")].each do |bytes|
          closing
          assert_raises(ProtocolError) { answer(bytes) }
        end
      end

      # Close goes before the request.
      def closing
        begin_session
        @statements = {}
        ask("SELECT broken")
        answer(failure("42601") + ready)
        sent
        ask("SELECT n").tap { assert sent.start_with?("C") }
      end
    end
  end
end
