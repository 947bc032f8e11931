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
        "a value" => [-> { Request.get("key", " v f") }, "VA 5 f0 O0\r\nhello\r\n", ->(request) { request.answer == "hello" }],
        "an empty value" => [-> { Request.get("key", " v f") }, "VA 0 f0 O0\r\n\r\n", ->(request) { request.answer == "" }],
        "a value like an answer" =>
          [-> { Request.get("key", " v f") }, "VA 8 f7 O0\r\nEN\r\nMN\r\n\r\n", ->(request) { request.answer == "EN\r\nMN\r\n" && request.client_flags == 7 }],
        "its version" => [-> { Request.get("key", " v f c") }, "VA 1 f3 c18446744073709551615 O0\r\nx\r\n", ->(request) { request.cas == (2**64) - 1 }],
        "a miss" => [-> { Request.get("key", " v f") }, "EN O0\r\n", ->(request) { request.answer.nil? && !request.found? }],
        "a touch" => [-> { Request.get("key", " T9") }, "HD O0\r\n", ->(request) { request.found? }],
        "the caller is to compute" => [-> { Request.get("key", " v N9") }, "VA 0 W O0\r\n\r\n", ->(request) { request.won? && !request.lost? }],
        "another caller computes" => [-> { Request.get("key", " v N9") }, "VA 3 O0 X Z\r\nold\r\n", ->(request) { request.lost? && request.stale? }],
        "a store" => [-> { Request.store("key", "value", 0, " c") }, "HD c12 O0\r\n", ->(request) { request.stored? && request.cas == 12 }],
        "no store" => [-> { Request.store("key", "value", 0, " ME") }, "NS O0\r\n", ->(request) { !request.stored? }],
        "a change meanwhile" => [-> { Request.store("key", "value", 0, " C9") }, "EX O0\r\n", ->(request) { request.changed? }],
        "a delete" => [-> { Request.delete("key", "") }, "HD O0\r\n", ->(request) { request.stored? }],
        "a delete of nothing" => [-> { Request.delete("key", "") }, "NF O0\r\n", ->(request) { !request.stored? }],
        "a count" => [-> { Request.count("key", " v D1") }, "VA 2 O0\r\n42\r\n", ->(request) { request.answer == "42" }],
        "a count of nothing" => [-> { Request.count("key", " v D1") }, "NF O0\r\n", ->(request) { request.answer.nil? }],
        "a refusal" =>
          [-> { Request.store("key", "value", 0, "") }, "SERVER_ERROR out of memory\r\n", ->(request) { request.error == "SERVER_ERROR out of memory" && !request.answered? }],
        "a version" => [-> { Request.line("version", "VERSION ") }, "VERSION 1.6.18\r\n", ->(request) { request.answer == "VERSION 1.6.18" }],
        "a flush" => [-> { Request.line("flush_all 0", "OK") }, "OK\r\n", ->(request) { request.answer == "OK" }],
        "statistics" =>
          [-> { Request.statistics("stats") }, "STAT pid 1\r\nSTAT rusage 0.1 s\r\nEND\r\n", ->(request) { request.answer == { "pid" => "1", "rusage" => "0.1 s" } }],
        "no statistics" => [-> { Request.statistics("stats items") }, "END\r\n", ->(request) { request.answer.nil? }],
        "many values" =>
          [-> { Request.get_many(%w[a b c d], %i[a b c d], " v f c") }, "VA 1 f0 c5 O0\r\nx\r\nVA 2 f1 c6 O2\r\nyz\r\nEN O3\r\nMN\r\n",
           ->(request) { request.answer == { a: "x", c: "yz" } && request.coded == { c: 1 } && request.versions == { a: 5, c: 6 } }],
        "a key twice" =>
          [-> { Request.get_many(%w[a a], %w[a a], " v f") }, "VA 1 f1 O0\r\nx\r\nVA 1 f0 O1\r\ny\r\nMN\r\n",
           ->(request) { request.answer == { "a" => "y" } && request.coded == {} }],
        "no values" => [-> { Request.get_many(%w[a b], %w[a b], " v f") }, "EN O1\r\nMN\r\n", ->(request) { request.answer == {} && request.coded.nil? }],
        "many values, and an error" =>
          [-> { Request.get_many(%w[a b], %w[a b], " v f") }, "VA 1 O0\r\nx\r\nSERVER_ERROR no\r\nMN\r\n", ->(request) { request.error == "SERVER_ERROR no" }],
        "many stores" => [-> { Request.store_many(%w[a b], ["x", 0, "y", 1], "") }, "HD O1\r\nMN\r\n", ->(request) { request.answered? }],
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

      def test_answers_come_to_their_requests_whatever_the_pieces
        [1, 2, 3, 7, 50, 10_000].each do |size|
          begin_talk
          bytes = +""
          requests = EXCHANGES.values.map do |make, answer, _|
            ask(make.call).tap { bytes << answer_from(sent[/ O(\d+)\r/, 1].to_i, answer) }
          end
          bytes.scan(/.{1,#{size}}/mn).each { |piece| answer(piece) }
          EXCHANGES.values.zip(requests).each { |(_, _, right), request| assert request.done? && right.call(request) }
        end
      end

      def test_what_is_sent
        ask(get)
        assert_equal "mg key v f O0\r\n", sent
        ask(Request.store("key", "a\r\nb", 0, ""))
        assert_equal "ms key 4 O1\r\na\r\nb\r\n", sent
        ask(Request.store("key", "v", 3, " T9 MA"))
        assert_equal "ms key 1 F3 T9 MA O2\r\nv\r\n", sent
        ask(Request.get_many(%w[a b], %w[a b], " v"))
        assert_equal "mg a v q O3\r\nmg b v O4\r\nmn\r\n", sent
        ask(Request.store_many(%w[a b], ["x", 0, "y", 5], " T9"))
        assert_equal "ms a 1 T9 q O5\r\nx\r\nms b 1 F5 T9 O6\r\ny\r\nmn\r\n", sent
        ask(Request.delete_many(%w[a b], ""))
        assert_equal "md a O7\r\nmd b O8\r\nmn\r\n", sent
        ask(get)
        assert_equal "mg key v f O9\r\n", sent
      end

      def test_keys_that_a_line_cannot_hold_go_as_base64
        ["a b", "é", "a\r\nmn", "\xFF\x00".b, "~\x7F", "abcd "].each_with_index do |key, number|
          ask(get(key, " v"))
          assert_equal "mg #{[key].pack("m0")} b v O#{number}\r\n", sent
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
        assert_equal "ms key 5 O0\r\nvalue\r\n", sent
      end

      def test_a_value_is_binary_whatever_its_bytes
        answer_of = ->(bytes) { ask(get).tap { answer("VA #{bytes.bytesize} f0 #{sent[/O\d+/]}\r\n#{bytes}\r\n".b) }.answer }
        assert_equal [Encoding::BINARY] * 2, [answer_of.call("ascii").encoding, answer_of.call("é").encoding]
      end

      def test_metadata
        { "h1 l7" => [true, 7], "h0 l0" => [false, 0], "" => [false, 0] }.each do |flags, expected|
          ask(asked = Request.get("key", " v h l"))
          answer("VA 1 #{flags} #{sent[/O\d+/]}\r\nx\r\n")
          assert_equal expected, [asked.hit_before?, asked.last_access]
        end
        { "t60" => 60, "t-1" => -1, "" => 0 }.each do |flags, expected|
          ask(asked = Request.get("key", " v t"))
          answer("VA 1 #{flags} #{sent[/O\d+/]}\r\nx\r\n")
          assert_equal expected, asked.ttl_remaining
        end
        %w[h2 h h11 lx t t-2 t-11 t1x].each do |flags|
          ask(Request.get("key", " v h l"))
          assert_raises(ProtocolError) { answer("VA 1 #{flags} #{sent[/O\d+/]}\r\nx\r\n") }
          setup
        end
      end

      def test_the_same_question_again
        [get, store, Request.get_many(%w[a b], %i[x y], " v"), Request.store_many(%w[a], ["x", 1], "")].each do |request|
          ask(request)
          bytes = sent
          ask(request.again)
          assert_equal answer_from(-bytes[/ O(\d+)\r/, 1].to_i, bytes), answer_from(-(again = sent)[/ O(\d+)\r/, 1].to_i, again)
        end
      end

      def test_nonsense
        { "hello\r\n" => /malformed answer/, "VA\r\n" => /malformed answer/, "VA x\r\n" => /malformed answer/,
          "VA 5 f0\r\nhelloMN" => /malformed answer/, "VA 1 fx\r\nx\r\n" => /malformed answer/, "\n" => /malformed answer/,
          "VA 99999999999999999999999\r\n" => /malformed answer/, "VA 5000000\r\n" => /more than 1048576 bytes/,
          "x" * 9000 => /malformed answer/, "MN\r\n" => /"MN", and no command is in flight/, "NF O0\r\n" => /no command is in flight/,
          "OK\r\n" => /no command is in flight/, "STAT a b\r\n" => /no command is in flight/ }.each do |bytes, expected|
          begin_talk
          ask(get)
          assert_nonsense(bytes, expected)
        end
      end

      def test_nonsense_among_many
        ["VA 1\r\nx\r\n", "VA 1 O2\r\nx\r\n", "VA 1 O1\r\nx\r\nVA 1 O0\r\nx\r\n", "VA 1 O0\r\nx\r\nVA 1 O0\r\nx\r\n", "HD O4294967295\r\n",
         "MN\r\n", "VA 1 O0\r\nx\r\nMN\r\n"].each do |bytes|
          begin_talk
          ask(Request.get_many(%w[a b], %w[a b], " v"))
          assert_nonsense(bytes, /answers another command/)
        end
      end

      # Each kind of answer twice, and then what was asked for next; and only the latter.
      def test_a_doubled_or_lost_answer_is_noticed
        EXCHANGES.values.product([get, Request.get_many(%w[a b], %w[a b], " v f"), Request.store_many(%w[a b], ["x", 0, "y", 1], "")]) do |(make, bytes, _), following|
          next if bytes.include?("ERROR") # carries no number; the answer that follows it does
          begin_talk
          [make.call, following.again, get].each { |request| ask(request) }
          answer(bytes)
          assert_nonsense(bytes, /no command is in flight|answers another/) unless bytes == "MN\r\n"
          begin_talk
          ask(make.call)
          ask(following.again)
          assert_nonsense(answer_from(sent.scan(/ O(\d+)\r/)[-1][0].to_i, "VA 1 O0\r\nx\r\n"), /no command is in flight|answers another/)
        end
      end

      def test_a_doubled_refusal_is_noticed_at_the_answer_behind_it
        first, second, third = [store, get, get].each { |request| ask(request) }
        answer("SERVER_ERROR out of memory\r\nSERVER_ERROR out of memory\r\n")
        assert_equal [true, true, false], [first, second, third].map(&:done?)
        assert_nonsense("VA 1 O1\r\nx\r\n", /answers another command/)
      end

      def test_a_line_has_its_own_answer
        ask(Request.line("version", "VERSION "))
        assert_nonsense("OK\r\n", /no command is in flight/)
      end

      def test_numbers_begin_again
        (65_536 / 1000).times { answer_many(1000) }
        answer_many(535)
        ask(Request.get_many(%w[a b], %w[a b], " v"))
        assert_equal "mg a v q O65535\r\nmg b v O65536\r\nmn\r\n", sent
        ask(get)
        assert_equal "mg key v f O1\r\n", sent
      end

      def test_a_server_whose_misses_have_no_numbers
        @codec = Codec.new(LIMIT, false)
        missed, many, found = [get, Request.get_many(%w[a b], %w[a b], " v f"), get].each { |request| ask(request) }
        answer("EN\r\nVA 1 O1\r\nx\r\nEN\r\nMN\r\nVA 1 O3\r\ny\r\n")
        assert_equal [nil, { "a" => "x" }, "y"], [missed, many, found].map(&:answer)
        ask(get)
        assert_nonsense("VA 1 O3\r\ny\r\n", /answers another command/)
      end

      def test_a_statistic_needs_a_value
        ask(Request.statistics("stats"))
        assert_nonsense("STAT\r\n", /no command is in flight/)
      end

      def test_last_words
        answer("ERROR Too many open connections\r\n")
        assert_equal "ERROR Too many open connections", codec.closing_error_message
        assert_nonsense("HD O0\r\n", /no command is in flight/)
      end

      # What reads may be the thread of another caller: an interrupt of it, or the error of a key, would end the connection of both.
      def test_the_code_of_a_callers_keys_runs_in_the_caller
        ran = 0
        named = Class.new(String) { define_method(:eql?) { |other| (ran += 1) && super(other) } }
        request = ask(Request.get_many(%w[a a], %w[a a].map { |key| named.new(key) }, " v f c"))
        answer("VA 1 f3 c5 O0\r\nx\r\nVA 1 c6 O1\r\ny\r\nMN\r\n")
        assert_equal [true, 0], [request.done?, ran]
        assert_equal [[%w[a y]], [], [["a", 6]]], [request.answer, request.coded, request.versions].map(&:to_a)
        assert_operator ran, :>, 0
      end

      def test_no_request_is_left_when_it_fails
        requests = [get, store, get].each { |request| ask(request) }
        answer("EN O0\r\n")
        codec.fail(woken) { |sent| sent }
        assert_equal [nil, false, false], requests.map(&:failure)
        assert requests.all?(&:done?)
        assert_nil codec.submit(get)
      end

      def test_what_was_not_sent_is_taken_back
        first, second, third = [get("first"), store("second", "two"), get("third")].each { |request| ask(request) }
        assert codec.withdraw(second, "late")
        assert_equal "mg first v f O0\r\nmg third v f O2\r\n", sent
        refute codec.withdraw(second, "late")
        answer("VA 1 O0\r\n1\r\nVA 1 O2\r\n3\r\n")
        assert_equal ["1", nil, "3"], [first, second, third].map(&:answer)
        assert codec.withdraw(ask(Request.get_many(%w[a b], %w[a b], " v")), "late")
        assert_predicate codec, :idle?
      end

      def test_what_was_abandoned_keeps_its_place
        first, second = ask(Request.get_many(%w[a b], %w[a b], " v")), ask(get)
        first.fail("too late")
        answer("VA 1 O0\r\nx\r\nEN O1\r\nMN\r\nVA 1 O2\r\n2\r\n")
        assert_equal [{}, "2"], [first.answer, second.answer]
      end

      def test_silence_is_known
        first, second = ask(get), ask(get)
        assert codec.silent_since?(first)
        answer("EN O0\r\n")
        refute codec.silent_since?(second)
        assert codec.silent_since?(ask(get))
        answer("EN O1\r\nEN O2\r\n")
        many = ask(Request.get_many(%w[a b], %w[a b], " v"))
        answer("VA 1 O3\r\nx\r\n")
        refute codec.silent_since?(many)
      end

      private

      # @return [String] the same with numbers that are higher by so many
      def answer_from(first, bytes) = bytes.gsub(/(?<= O)\d+/) { |number| (number.to_i + first).to_s }

      def answer_many(count)
        ask(Request.delete_many(Array.new(count, "key"), ""))
        answer("#{sent.scan(/O\d+/).map { |number| "HD #{number}\r\n" }.join}MN\r\n")
      end
    end
  end
end
