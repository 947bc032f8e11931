# frozen_string_literal: true

require "test_helper"
require "support/codec_testing"

module Trunkline
  module Postgres
    # Notices that a server sends one by one: when the next read may wait for more.
    class TrickleTest < TestCase
      include CodecTesting

      N = { "t" => QueryMessages::TEXT }.freeze
      FLOOD = 64
      MUCH = 32 * 1024 # bytes
      SIZES = [1, 10, 63, 64, 65, 200].freeze
      # How often each kind of piece comes.
      KINDS = [*%i[notices] * 4, :setting, :notification, :answer, :cut].freeze
      private_constant :N, :FLOOD, :MUCH, :SIZES, :KINDS

      def notices(count, length = 10) = notice("x" * length) * count

      def test_after_many_notices_alone
        ask("SELECT t")
        told = [63, 1, 1].map { |count| answer(notices(count)) && codec.trickles? }
        assert_equal [false, true, true], told
        answer(parameter_status("a", "b"))
        assert_predicate codec, :trickles?
        answer(first_answer(N, ["z"]))
        refute_predicate codec, :trickles?
      end

      def test_not_where_one_notice_comes_with_each_answer
        ask("SELECT t")
        100.times do
          answer(notices(1) + next_answer)
          refute_predicate codec, :trickles?
        end
      end

      def test_not_where_much_comes_at_once
        ask("SELECT t")
        answer(notices(FLOOD))
        assert_predicate codec, :trickles?
        answer(notices(MUCH / 20))
        refute_predicate codec, :trickles?
        answer(notices(1))
        assert_predicate codec, :trickles?
      end

      # Pieces of any kind and size, beside a count of their notices.
      def test_any_sequence
        20.times do |seed|
          begin_session
          @statements = {}
          @known = false
          random = Random.new(seed)
          ask("SELECT t")
          run_of = 0
          60.times do
            bytes, run_of = piece(random, run_of)
            answer(bytes)
            assert_equal run_of >= FLOOD && bytes.bytesize < MUCH, codec.trickles?, "seed #{seed}"
          end
        end
      end

      private

      # @return [Array(String, Integer)] bytes, and the notices that stand alone when these are taken in
      def piece(random, run_of)
        case KINDS.sample(random: random)
        when :notices then SIZES.sample(random: random).then { |count| [notices(count, random.rand(400)), run_of + count] }
        when :setting then [parameter_status("a", "b"), run_of]
        when :notification then [frame("A", "\0\0\0\1channel\0payload\0"), run_of]
        when :answer then [next_answer, 0]
        else ["", run_of]
        end
      end

      def next_answer
        bytes = @known ? later_answer(["z"]) : first_answer(N, ["z"])
        @known = true
        ask("SELECT t")
        bytes
      end
    end
  end
end
