# frozen_string_literal: true

require "test_helper"
require "support/memcached_talk"

module Trunkline
  module Memcached
    # Requests -> bytes -> answers.
    class MemcachedCodecTest < TestCase
      include Talk

      # Every kind of request with an answer, and what becomes of it.
      EXCHANGES = {
        "a value" => [-> { Request.get("key", " v f") }, "VA 5 f0\r\nhello\r\n", ->(request) { request.answer == "hello" }],
        "an empty value" => [-> { Request.get("key", " v f") }, "VA 0 f0\r\n\r\n", ->(request) { request.answer == "" }],
        "a value like an answer" =>
          [-> { Request.get("key", " v f") }, "VA 8 f7\r\nEN\r\nMN\r\n\r\n", ->(request) { request.answer == "EN\r\nMN\r\n" && request.client_flags == 7 }],
        "its version" => [-> { Request.get("key", " v f c") }, "VA 1 f3 c18446744073709551615\r\nx\r\n", ->(request) { request.cas == (2**64) - 1 }],
        "a miss" => [-> { Request.get("key", " v f") }, "EN\r\n", ->(request) { request.answer.nil? && !request.found? }],
        "a touch" => [-> { Request.get("key", " T9") }, "HD\r\n", ->(request) { request.found? }],
        "who is to compute" => [-> { Request.get("key", " v N9") }, "VA 0 W\r\n\r\n", ->(request) { request.won? && !request.lost? }],
        "who is not" => [-> { Request.get("key", " v N9") }, "VA 3 X Z\r\nold\r\n", ->(request) { request.lost? && request.stale? }],
        "a store" => [-> { Request.store("key", "value", 0, " c") }, "HD c12\r\n", ->(request) { request.stored? && request.cas == 12 }],
        "no store" => [-> { Request.store("key", "value", 0, " ME") }, "NS\r\n", ->(request) { !request.stored? }],
        "a change meanwhile" => [-> { Request.store("key", "value", 0, " C9") }, "EX\r\n", ->(request) { request.changed? }],
        "a delete" => [-> { Request.delete("key", "") }, "HD\r\n", ->(request) { request.stored? }],
        "a delete of nothing" => [-> { Request.delete("key", "") }, "NF\r\n", ->(request) { !request.stored? }],
        "a count" => [-> { Request.count("key", " v D1") }, "VA 2\r\n42\r\n", ->(request) { request.answer == "42" }],
        "a count of nothing" => [-> { Request.count("key", " v D1") }, "NF\r\n", ->(request) { request.answer.nil? }],
        "a refusal" =>
          [-> { Request.store("key", "value", 0, "") }, "SERVER_ERROR out of memory\r\n", ->(request) { request.error == "SERVER_ERROR out of memory" && !request.answered? }],
        "a version" => [-> { Request.line("version") }, "VERSION 1.6.18\r\n", ->(request) { request.answer == "VERSION 1.6.18" }],
        "a flush" => [-> { Request.line("flush_all 0") }, "OK\r\n", ->(request) { request.answer == "OK" }],
        "statistics" =>
          [-> { Request.statistics("stats") }, "STAT pid 1\r\nSTAT rusage 0.1 s\r\nEND\r\n", ->(request) { request.answer == { "pid" => "1", "rusage" => "0.1 s" } }],
        "no statistics" => [-> { Request.statistics("stats items") }, "END\r\n", ->(request) { request.answer.nil? }],
        "many values" =>
          [-> { Request.get_many(%w[a b c d], %i[a b c d], " v f c q") }, "VA 1 f0 c5 O0\r\nx\r\nVA 2 f1 c6 O2\r\nyz\r\nMN\r\n",
           ->(request) { request.answer == { a: "x", c: "yz" } && request.coded == { c: 1 } && request.versions == { a: 5, c: 6 } }],
        "a key twice" =>
          [-> { Request.get_many(%w[a a], %w[a a], " v f q") }, "VA 1 f1 O0\r\nx\r\nVA 1 f0 O1\r\ny\r\nMN\r\n",
           ->(request) { request.answer == { "a" => "y" } && request.coded == {} }],
        "no values" => [-> { Request.get_many(%w[a b], %w[a b], " v f q") }, "MN\r\n", ->(request) { request.answer == {} && request.coded.nil? }],
        "many values, and an error" =>
          [-> { Request.get_many(%w[a b], %w[a b], " v f q") }, "VA 1 O0\r\nx\r\nSERVER_ERROR no\r\nMN\r\n", ->(request) { request.error == "SERVER_ERROR no" }],
        "many stores" => [-> { Request.store_many(%w[a b], ["x", 0, "y", 1], " q") }, "MN\r\n", ->(request) { request.answered? }],
        "many deletes" =>
          [-> { Request.delete_many(%w[a b c], "") }, "HD O0\r\nNF O1\r\nHD O2\r\nMN\r\n", ->(request) { request.done_count == 2 }]
      }.freeze

      EXCHANGES.each do |name, (make, bytes, right)|
        define_method("test_#{name.tr(" ,", "_")}") do
          request = ask(make.call)
          answer(bytes)
          assert_predicate request, :done?
          assert right.call(request)
          assert_predicate codec, :idle?
        end

        define_method("test_#{name.tr(" ,", "_")}_split_at_every_byte") do
          (1...bytes.bytesize).each do |at|
            begin_talk
            request = ask(make.call)
            answer(bytes.byteslice(0, at))
            refute_predicate request, :done?
            answer(bytes.byteslice(at..))
            assert request.done? && right.call(request)
          end
        end
      end

      def test_answers_come_to_those_who_asked_whatever_the_pieces
        bytes = EXCHANGES.values.map { |_, answer, _| answer }.join
        [1, 2, 3, 7, 50, bytes.bytesize].each do |size|
          begin_talk
          requests = EXCHANGES.values.map { |make, _, _| ask(make.call) }
          bytes.scan(/.{1,#{size}}/mn).each { |piece| answer(piece) }
          EXCHANGES.values.zip(requests).each { |(_, _, right), request| assert request.done? && right.call(request) }
        end
      end

      def test_what_is_sent
        ask(get)
        assert_equal "mg key v f\r\n", sent
        ask(Request.store("key", "a\r\nb", 0, ""))
        assert_equal "ms key 4\r\na\r\nb\r\n", sent
        ask(Request.store("key", "v", 3, " T9 MA"))
        assert_equal "ms key 1 F3 T9 MA\r\nv\r\n", sent
        ask(Request.get_many(%w[a b], %w[a b], " v q"))
        assert_equal "mg a v q O0\r\nmg b v q O1\r\nmn\r\n", sent
        ask(Request.store_many(%w[a b], ["x", 0, "y", 5], " q"))
        assert_equal "ms a 1 q O0\r\nx\r\nms b 1 F5 q O1\r\ny\r\nmn\r\n", sent
      end

      def test_keys_that_a_line_cannot_hold_go_as_base64
        ["a b", "é", "a\r\nmn", "\xFF\x00".b, "~\x7F", "abcd "].each do |key|
          ask(get(key, " v"))
          assert_equal "mg #{[key].pack("m0")} b v\r\n", sent
        end
      end

      def test_a_key_must_fit
        assert Request.fits?("x" * 250)
        assert Request.fits?("é" * 93) # 248 in base64
        refute Request.fits?("x" * 251)
        refute Request.fits?("é" * 94)
        refute Request.fits?("")
        refute Request.fits?(:key)
        ["", "x" * 251, nil, 1].each { |key| assert_raises(ArgumentError) { get(key) } }
      end

      def test_a_key_and_a_value_cannot_be_changed_after_they_are_given
        key, value = +"key", +"value"
        request = Request.store(key, value, 0, "")
        key << "\r\n"
        value << "!"
        ask(request)
        assert_equal "ms key 5\r\nvalue\r\n", sent
      end

      def test_text_without_flags_is_utf_8_where_that_is_the_same
        answer_of = ->(bytes) { ask(get).tap { answer("VA #{bytes.bytesize} f0\r\n#{bytes}\r\n".b) }.answer }
        assert_equal Encoding::UTF_8, answer_of.call("ascii").encoding
        assert_equal Encoding::BINARY, answer_of.call("é").encoding
      end

      def test_the_same_question_again
        [get, store, Request.get_many(%w[a b], %i[x y], " v q"), Request.store_many(%w[a], ["x", 1], " q")].each do |request|
          ask(request)
          bytes = sent
          ask(request.again)
          assert_equal bytes, sent
        end
      end

      def test_nonsense
        { "hello\r\n" => /makes no sense/, "VA\r\n" => /makes no sense/, "VA x\r\n" => /makes no sense/,
          "VA 5 f0\r\nhelloMN" => /makes no sense/, "VA 1 fx\r\nx\r\n" => /makes no sense/, "\n" => /makes no sense/,
          "VA 99999999999999999999999\r\n" => /makes no sense/, "VA 5000000\r\n" => /more than 1048576 bytes/,
          "x" * 9000 => /makes no sense/, "MN\r\n" => /"MN" answers nothing/, "NF\r\n" => /answers nothing/,
          "OK\r\n" => /answers nothing/, "STAT a b\r\n" => /answers nothing/ }.each do |bytes, expected|
          begin_talk
          ask(get)
          assert_nonsense(bytes, expected)
        end
      end

      def test_nonsense_among_many
        ["VA 1\r\nx\r\n", "VA 1 O2\r\nx\r\n", "VA 1 O1\r\nx\r\nVA 1 O0\r\nx\r\n", "VA 1 O0\r\nx\r\nVA 1 O0\r\nx\r\n", "HD O4294967295\r\n"].each do |bytes|
          begin_talk
          ask(Request.get_many(%w[a b], %w[a b], " v q"))
          assert_nonsense(bytes, /answers nothing/)
        end
      end

      def test_a_statistic_needs_a_value
        ask(Request.statistics("stats"))
        assert_nonsense("STAT\r\n", /answers nothing/)
      end

      def test_last_words
        answer("ERROR Too many open connections\r\n")
        assert_equal "ERROR Too many open connections", codec.farewell_message
        assert_nonsense("HD\r\n", /answers nothing/)
      end

      def test_nobody_is_left_when_it_fails
        requests = [get, store, get].each { |request| ask(request) }
        answer("EN\r\n")
        codec.fail(woken) { |sent| sent }
        assert_equal [nil, false, false], requests.map(&:failure)
        assert requests.all?(&:done?)
        assert_nil codec.submit(get)
      end

      def test_what_was_not_sent_is_taken_back
        first, second, third = [get("first"), store("second", "two"), get("third")].each { |request| ask(request) }
        assert codec.withdraw(second)
        assert_equal "mg first v f\r\nmg third v f\r\n", sent
        refute codec.withdraw(second)
        answer("VA 1\r\n1\r\nVA 1\r\n3\r\n")
        assert_equal ["1", nil, "3"], [first, second, third].map(&:answer)
        assert codec.withdraw(ask(Request.get_many(%w[a b], %w[a b], " v q")))
        assert_predicate codec, :idle?
      end

      def test_what_was_given_up_keeps_its_place
        first, second = ask(Request.get_many(%w[a b], %w[a b], " v q")), ask(get)
        first.give_up("too late")
        answer("VA 1 O0\r\nx\r\nMN\r\nVA 1\r\n2\r\n")
        assert_equal [{}, "2"], [first.answer, second.answer]
      end

      def test_silence_is_known
        first, second = ask(get), ask(get)
        assert codec.silent_since?(first)
        answer("EN\r\n")
        refute codec.silent_since?(second)
        assert codec.silent_since?(ask(get))
        answer("EN\r\nEN\r\n")
        many = ask(Request.get_many(%w[a b], %w[a b], " v q"))
        answer("VA 1 O0\r\nx\r\n")
        refute codec.silent_since?(many)
      end
    end
  end
end
