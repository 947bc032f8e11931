# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/open_sockets"
require "support/schedulers/hosts"
require "support/scripted_server"

module Trunkline
  module Postgres
    # Connecting waits as the host waits: others go on meanwhile, and a cancelled caller leaves nothing behind.
    module ConnectingSideBySide
      include OpenSockets

      Cancelled = Class.new(StandardError)

      def test_many_connect_by_name_at_once
        slow = lambda do |peer|
          peer.bytewise = true
          peer.startup
          peer << BackendMessages.authentication(3)
          peer.message
          peer << BackendMessages.authentication(0) << BackendMessages.session
        end

        ScriptedServer.open(slow, tcp: true) do |server|
          pids = in_host { side_by_side(1..8) { Connector.connect(config(server)).tap { |it| it.io.close }.backend_pid } }
          assert_equal [4711] * 8, pids
        end
      end

      def test_others_continue_while_a_server_says_nothing
        ScriptedServer.open(:drain.to_proc) do |server|
          order = Thread::Queue.new
          in_host do
            waiting = later { Connector.connect(config(server, connect_timeout: 0.2)) }
            later { order << :other }.value
            assert_instance_of ConnectionError, waiting.error
            order << :timed_out
          end
          assert_equal %i[other timed_out], [order.pop, order.pop]
        end
      end

      def test_many_continue_to_the_next_host_at_once
        trusting = ->(peer) { peer.startup && peer << BackendMessages.authentication(0) << BackendMessages.session }
        port = Trunkline::Bench::FreePort.find

        ScriptedServer.open(trusting, tcp: true) do |server|
          conninfo = server.conninfo.sub("host=", "host=/nowhere,localhost,").sub("port=", "port=1,#{port},")
          pids = in_host { side_by_side(1..8) { Connector.connect(Config.new(conninfo, env: {})).tap { |it| it.io.close }.backend_pid } }
          assert_equal [4711] * 8, pids
        end
      end

      def test_a_cancelled_caller_leaves_nothing_open
        arrived = Thread::Queue.new
        assert_nothing_left_by_a_cancelled(ScriptedServer.silent(arrived), arrived)
      end

      def test_a_caller_that_is_cancelled_while_encryption_is_negotiated_leaves_nothing_open
        arrived = Thread::Queue.new
        silent = lambda do |peer|
          peer.read(8)
          peer << "S"
          peer.read(1)
          arrived << true
          peer.drain
        end

        assert_nothing_left_by_a_cancelled(silent, arrived, tcp: true)
      end

      private

      def assert_nothing_left_by_a_cancelled(script, arrived, **options)
        ScriptedServer.open(script, **options) do |server|
          assert_no_socket_left do
            in_host do
              waiting = later { Connector.connect(config(server)) }
              arrived.pop
              waiting.cancel(Cancelled.new)
              assert_instance_of Cancelled, waiting.error
            end
          end
        end
      end

      def config(server, **keywords)
        Config.new(server.conninfo.sub("host=127.0.0.1", "host=localhost"), env: {}, user: "ann", password: "secret",
                   connect_timeout: 20, **keywords)
      end
    end

    class ConnectingThreadsTest < TestCase
      include Hosts::Threads
      include ConnectingSideBySide
    end

    class ConnectingUnderAsyncTest < TestCase
      include Hosts::Async
      include ConnectingSideBySide
    end

    class ConnectingUnderReferenceSchedulerTest < TestCase
      include Hosts::Reference
      include ConnectingSideBySide
    end

    class ConnectingUnderHostileSchedulerTest < TestCase
      include Hosts::Hostile
      include ConnectingSideBySide

      def hostility = { seed: Minitest.seed, inline: true, spurious: 0.2, reorder: true }
    end
  end
end
