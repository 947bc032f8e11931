# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"

module Trunkline
  module Postgres
    # Standbys that are asked whether they were promoted.
    class PromotionWatchTest < TestCase
      include BackendMessages

      QUESTION = "SELECT pg_catalog.pg_is_in_recovery()"
      private_constant :QUESTION

      def setup
        super
        @watch = PromotionWatch.new
        @peers = %i[one other].to_h do |host|
          io, peer = UNIXSocket.pair
          assert @watch.keep(host, io)
          [host, peer]
        end
      end

      def teardown
        @watch.release
        @peers.each_value(&:close)
        super
      end

      # Has each of them say this, nil: hang up.
      def said(**words)
        words.each { |host, word| word ? @peers[host].write(answer(word)) : @peers[host].close }
        @watch.changed?
      end

      def answer(word) = message("T", [0].pack("n")) + message("D", [1, 1, word].pack("nNa*")) + message("C", "SELECT 1\0") + ready

      def test_whether_one_was_promoted
        assert_equal [false, true], [said(one: "t", other: "t"), said(one: "t", other: "f")]
        assert_equal QUESTION, @peers[:one].readpartial(100).byteslice(5, QUESTION.bytesize)
      end

      # A search that begins then tries it first; one that failed knows of none.
      def test_the_promoted_one_comes_first
        hosts = %i[dead one other]
        assert_equal hosts, @watch.promoted_first(hosts)
        said(one: "t", other: "f")
        assert_equal %i[other dead one], @watch.promoted_first(hosts)
        @watch.failed(ConnectionError.new("no host has answered in time"))
        assert_equal hosts, @watch.promoted_first(hosts)
      end

      # The others are asked on, and the hosts are looked at when it is time for that.
      def test_one_that_is_gone
        assert_equal false, said(one: nil, other: "t")
        assert_equal PromotionWatch::PAUSE, @watch.failed(ConnectionError.new("no host has answered in time")).retry_after
        assert_equal [false, true], [said(other: "t"), said(other: "f")]
      end

      def test_none_is_left
        assert_equal true, said(one: nil, other: nil)
        assert_nil @watch.failed(ConnectionError.new("no host has answered in time")).retry_after
        assert_equal [true, false], [@watch.search_due?, @watch.changed?]
      end
    end
  end
end
