# frozen_string_literal: true

require "test_helper"
require "support/leeway"
require "support/open_sockets"
require "support/schedulers/hosts"
require "support/scripted_server"
require "trunkline/postgres/connect/cancel"
require "trunkline/postgres/connect/unfinished_cancels"

module Trunkline
  module Postgres
    # The connection that asks to cancel, with fibers and threads.
    module Cancelling
      include Leeway
      include OpenSockets

      Interrupted = Class.new(StandardError)

      def test_a_short_and_a_long_key
        ["\x01\x02\x03\x04".b, "k" * 256].each do |key|
          asked = nil
          in_host { with_server(->(peer) { asked = peer.read(16 + key.bytesize - 4) }) { |server| cancel(server, key: key) } }

          assert_equal [12 + key.bytesize, (1234 << 16) + 5678, 4711, key], asked.unpack("NNNa*")
        end
      end

      def test_it_waits_until_the_server_has_closed
        asked = Thread::Queue.new
        answered = Thread::Queue.new
        slow = lambda do |peer|
          asked << peer.read(16)
          answered.pop
        end

        in_host do
          with_server(slow) do |server|
            cancelling = later { cancel(server) }
            asked.pop
            refute_predicate cancelling, :done?
            answered << true
            cancelling.value
          end
        end
      end

      def test_what_the_server_says_means_nothing
        in_host { with_server(->(peer) { peer.read(16) && peer << "what?" * 100 }) { |server| cancel(server) } }
      end

      def test_a_server_that_resets_the_connection
        in_host { with_server(->(peer) { peer.read(16) && peer.reset }, tcp: true) { |server| cancel(server) } }
      end

      def test_a_server_that_never_closes
        with_server(:drain.to_proc) do |server|
          error = refused { cancel(server, seconds: 1) }

          assert_predicate error, :sent?
          assert_equal "the server has not processed the CancelRequest in time (server #{endpoint(server).server})", error.message
        end
      end

      def test_no_server
        endpoint = with_server(->(_peer) {}) { |server| endpoint(server) }
        error = refused { Cancel.deliver(endpoint, 1, "1234", deadline: nil) }

        refute_predicate error, :sent?
        assert_equal endpoint.server, error.server
      end

      def test_a_deadline_that_has_passed_already
        with_server(:drain.to_proc) { |server| refused { cancel(server, seconds: -1) } }
      end

      def test_an_interrupted_caller_waits_until_the_server_has_closed
        asked, answered = Thread::Queue.new, Thread::Queue.new
        dealt_with = false
        with_seconds(:Cancel, :GRACE, within: Postgres) do
          in_host do
            with_server(->(peer) { asked << peer.read(16) && answered.pop }) do |server|
              cancelling = later { Cancel.deliver(endpoint(server), 1, "1234", deadline: nil) { dealt_with = true } }
              asked.pop
              cancelling.cancel(Interrupted.new)
              answered << true
              assert_instance_of Interrupted, cancelling.error
            end
          end
        end
        assert dealt_with
      end

      def test_a_caller_that_is_interrupted_once_the_connection_is_closed
        calls = 0
        with_server(->(peer) { peer.read(16) }) do |server|
          in_host do
            assert_raises(Interrupted) { Cancel.deliver(endpoint(server), 1, "1234", deadline: nil) { (calls += 1) == 1 and raise Interrupted.new } }
          end
        end
        assert_equal 2, calls
      end

      # A pooler may end with it, when it has not passed the request on.
      def test_a_connection_that_the_server_has_not_closed_in_time_stays_open
        done = Thread::Queue.new
        with_server(->(peer) { peer.read(16) && done.pop }) do |server|
          unfinished = UnfinishedCancels.new
          in_host { assert_raises(ConnectionError) { Cancel.deliver(endpoint(server), 1, "1234", deadline: Socket::Readiness.now + 0.1, unfinished: unfinished) } }
          assert_equal 1, unfinished.size
          before = open_sockets
          unfinished.close
          assert_equal [0, before - 1], [unfinished.size, open_sockets]
          done << true
        end
      end

      # PgBouncer before 1.19 exits if one is closed that it has not forwarded.
      def test_closing_gives_the_server_time_to_process_them
        done = Thread::Queue.new
        with_server(->(peer) { peer.read(16) && done.pop }) do |server|
          unfinished = UnfinishedCancels.new
          in_host do
            assert_raises(ConnectionError) { Cancel.deliver(endpoint(server), 1, "1234", deadline: Socket::Readiness.now + 0.1, unfinished: unfinished) }
          end
          closing = Thread.new { unfinished.close(last: 60) }
          Thread.pass until closing.stop?
          waits = closing.alive?
          done << true
          closing.join
          assert_equal [true, 0], [waits, unfinished.size]
        end
      end

      def test_a_cancelled_caller_leaves_nothing_open
        asked = Thread::Queue.new
        with_server(->(peer) { asked << peer.read(16) && peer.drain }) do |server|
          assert_no_socket_left do
            in_host do
              cancelling = later { cancel(server, seconds: nil) }
              asked.pop
              cancelling.cancel(Interrupted.new)
              assert_instance_of Interrupted, cancelling.error
            end
          end
        end
      end

      private

      def with_server(script, **options, &block) = ScriptedServer.open(script, **options, &block)

      def endpoint(server) = Config.new(server.conninfo, env: {}, user: "ann").then { |config| Endpoint.new(config, config.hosts.first) }

      def cancel(server, key: "1234", seconds: 20)
        Cancel.deliver(endpoint(server), 4711, key, deadline: Socket::Readiness.deadline(seconds))
      end

      def refused(&block)
        assert_no_socket_left { in_host { assert_raises(ConnectionError, &block) } }
      end
    end

    class CancellingThreadsTest < TestCase
      include Hosts::Threads
      include Cancelling
    end

    class CancellingUnderAsyncTest < TestCase
      include Hosts::Async
      include Cancelling
    end

    class CancellingUnderHostileSchedulerTest < TestCase
      include Hosts::Hostile
      include Cancelling

      def hostility = { seed: Minitest.seed, inline: true, spurious: 0.2, reorder: true }
    end
  end
end
