# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/codec_testing"
require "support/schedulers/reference_scheduler"
require "support/stopped_clock"

module Trunkline
  module Postgres
    # What a caller that reads for all leaves to the others of its loop while its answer comes as fast as it is taken in.
    class LeadingTest < TestCase
      include CodecTesting
      include StoppedClock

      A_WHILE = 0.002 # seconds in which a piece is taken in
      PIECES = 60
      POOL = Struct.new(:callers_waiting, :freed).new(Flag.new, nil)
      private_constant :A_WHILE, :PIECES, :POOL

      # Once it was asked, there is always something to read, until all has been.
      class Flooding < OpenSSL::SSL::SSLSocket
        attr_writer :pieces

        def pending = 0
        def write_nonblock(bytes, **) = (@asked = true) && bytes.bytesize

        def read_nonblock(_size, _buffer, **)
          return :wait_readable unless @asked

          Clock.pass(A_WHILE)
          @pieces.shift || :wait_readable
        end
      end

      # Pieces of 64 KiB, which one read takes.
      def pieces
        rows = Array.new(PIECES) { data_row("x" * 65_525) }
        rows[0] = first_answer({ "t" => QueryMessages::TEXT }, ["x" * 60_000]).delete_suffix(complete("SELECT 1") + ready) + rows[0]
        rows[-1] += complete("SELECT #{PIECES + 1}") + ready
        rows
      end

      # A trunk whose answer is there at once.
      #
      # @yieldparam trunk [Trunk]
      def flooded
        here, there = UNIXSocket.pair
        there << "something to read"
        tls = Flooding.new(here)
        tls.pieces = pieces
        # It is read by Ruby's methods.
        Socket::TLS::Libssl.stub(:obstacle, "it is played") { yield Trunk.new(tls, codec, server: "server", pool: POOL) }
      ensure
        [here, there].each(&:close)
      end

      def request = Request.query(statement("SELECT t"), [])

      def test_other_fibers_have_a_turn_each_five_milliseconds
        turns = 0
        flooded do |trunk|
          request = nil
          ReferenceScheduler.run do
            Fiber.schedule { trunk.perform(request = self.request) }
            Fiber.schedule { Fiber.scheduler.yield while !request.done? && turns += 1 }
          end
          assert_equal PIECES + 1, request.rows.size
        end
        assert_includes 12..20, turns
      end

      def test_a_thread_passes_each_five_milliseconds
        passes = 0
        flooded do |trunk|
          request = self.request
          Thread.stub(:pass, -> { passes += 1 }) { trunk.perform(request) }
          assert_equal PIECES + 1, request.rows.size
        end
        assert_includes 12..20, passes
      end
    end
  end
end
