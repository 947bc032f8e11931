# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/children"
require "support/each_host"
require "support/eventually"
require "support/open_sockets"
require "support/resolver"
require "support/schedulers/hosts"
require "support/scripted_server"
require "support/silent_server"

module Trunkline
  module Postgres
    # Hosts that are silent, beside others that answer; and callers that leave before there is a connection.
    module SearchingHosts
      include Eventually
      include OpenSockets
      include Resolver
      include SilentServer

      # It lets a caller in.
      WELCOME = lambda do |peer|
        peer.startup
        peer << BackendMessages.authentication(0) << BackendMessages.session
        peer.drain
      end
      Cancelled = Class.new(StandardError)
      private_constant :WELCOME, :Cancelled

      def test_the_next_host_is_begun_beside_a_silent_one
        counted(:drain.to_proc, WELCOME) do |hosts, calls|
          connector = Connector.new(config(*hosts))
          assert_equal [hosts[1]] * 2, [in_host { reached(connector) }, unhurried { in_host { reached(connector) } }]
          assert_equal [1, 2], eventually { calls[0].any? } && calls.map(&:size), "the host that was silent is not asked first again"
        end
      end

      def test_a_silent_host_that_answers_after_all_is_taken
        both = Thread::Queue.new
        late = lambda do |peer|
          both.pop
          WELCOME.call(peer)
        end
        counted(late, ScriptedServer.silent(both)) do |hosts, calls|
          connector = Connector.new(config(*hosts))
          assert_no_socket_left { assert_equal hosts[0], in_host { reached(connector) } }
          both << true
          again = unhurried { in_host { reached(connector) } }
          assert_equal [hosts[0], [2, 1]], [again, calls.map(&:size)], "it is asked first again"
        end
      end

      def test_packets_that_vanish
        silent_server do |hole|
          counted(WELCOME, tcp: true) do |hosts, _|
            name, port = hosts.first.split(":")
            config = Config.new(env: {}, host: ["127.0.0.1", name], port: [hole.ip_port, port], user: "ann", dbname: "app")
            assert_no_socket_left { assert_equal "#{hosts.first}/app", in_host { connect(Connector.new(config)) } }
          end
        end
      end

      def test_a_caller_that_is_cancelled_leaves_nothing_open
        both = Thread::Queue.new
        silent = ScriptedServer.silent(both)
        counted(silent, silent) do |hosts, _|
          assert_no_socket_left do
            in_host do
              waiting = later { Connector.connect(config(*hosts)) }
              2.times { both.pop }
              waiting.cancel(Cancelled.new)
              assert_instance_of Cancelled, waiting.error
            end
          end
        end
      end

      # The attempt at the silent server would take ten minutes.
      def test_a_name_that_is_moved_during_an_attempt
        names = {}
        moving = lambda do |peer|
          peer.startup
          names["db.example"] = names["second"]
          peer.drain
        end
        counted(moving, WELCOME, tcp: true) do |hosts, calls|
          names["db.example"], names["second"] = hosts.map { |host| Addrinfo.tcp(*host.split(":")) }
          config = Config.new(env: {}, host: "db.example", user: "ann", dbname: "app", connect_timeout: 600)
          resolving(names) do
            assert_no_socket_left { assert_equal "db.example:5432/app", in_host { connect(Connector.new(config)) } }
          end
          assert_equal [1, 1], calls.map(&:size)
        end
      end

      def test_a_server_is_preferred_and_silent
        primary = lambda do |peer|
          peer.startup
          peer << BackendMessages.authentication(0) << BackendMessages.parameter("in_hot_standby", "off") << BackendMessages.session
          peer.drain
        end
        counted(:drain.to_proc, primary) do |hosts, _|
          assert_equal hosts[1], in_host { reached(Connector.new(config(*hosts, target_session_attrs: "prefer-standby"))) }
        end
      end

      def test_a_refused_password_ends_the_search_beside_a_silent_host
        stranger = lambda do |peer|
          peer.startup
          peer << BackendMessages.error("S" => "FATAL", "C" => "28P01", "M" => "password authentication failed")
        end
        counted(:drain.to_proc, stranger) do |hosts, _|
          assert_no_socket_left { in_host { assert_raises(InvalidPassword) { Connector.connect(config(*hosts)) } } }
        end
      end

      def test_the_host_that_worked_last_is_first
        starting = lambda do |peer|
          peer.startup
          peer << BackendMessages.error("S" => "FATAL", "C" => "57P03", "M" => "the database system is starting up")
        end
        counted(starting, WELCOME) do |hosts, calls|
          connector = Connector.new(config(*hosts))
          assert_equal [hosts[1]] * 3, unhurried { Array.new(3) { in_host { reached(connector) } } }
          assert_equal [1, 3], calls.map(&:size)
        end
      end

      def test_a_deadline_ends_the_wait_of_its_caller_alone
        gate = Thread::Queue.new
        counted(welcome_after(gate)) do |hosts, calls|
          in_host do
            connector = Connector.new(config(*hosts))
            error = assert_raises(ConnectionError) { Trunkline.deadline(0.05) { connector.connect } }
            assert_equal "no connection within the deadline: #{hosts[0]}:5432/app has not answered yet (server #{hosts[0]}:5432/app)", error.message
            assert_predicate error, :retriable?
            gate << true
            assert_equal hosts[0], reached(connector)
          end
          assert_equal 1, calls[0].size
        end
      end

      def test_what_callers_have_left_is_closed_with_the_client
        counted(:drain.to_proc) do |hosts, _|
          assert_no_socket_left do
            in_host do
              connector = Connector.new(config(*hosts))
              assert_raises(ConnectionError) { Trunkline.deadline(0.05) { connector.connect } }
              connector.close
            end
          end
        end
      end

      private

      def welcome_after(gate)
        lambda do |peer|
          peer.startup
          gate.pop
          peer << BackendMessages.authentication(0) << BackendMessages.session
        end
      end

      # Yields the folders or addresses of servers that follow these scripts, and for each a list that gets an entry with each connection.
      def counted(*scripts, hosts: [], calls: [], **options, &block)
        return yield(hosts, calls) if scripts.empty?

        script, *rest = scripts
        counter = []
        ScriptedServer.open(->(peer) { counter << true and script.call(peer) }, **options) do |server|
          place = options[:tcp] ? server.conninfo.sub(/host=(\S+) port=(\d+)/, '\1:\2') : server.conninfo[/host=(\S+)/, 1]
          counted(*rest, hosts: [*hosts, place], calls: [*calls, counter], **options, &block)
        end
      end

      def config(*hosts, **keywords) = Config.new(env: {}, host: hosts, user: "ann", dbname: "app", connect_timeout: 20, **keywords)

      # @return [String] the host that was connected to
      def reached(connector) = connect(connector)[%r{\A(.*):5432/app\z}, 1]

      def connect(connector)
        connection = connector.connect
        connection.server
      ensure
        connection&.io&.close
      end
    end

    class HostSearchTest < TestCase
      extend EachHost
      in_hosts SearchingHosts
      in_hostile_hosts SearchingHosts, hostilities: HOSTILITIES.slice(:InlineYielding, :Everything)

      # What concerns threads, which cannot go on with each other's searches.
      class BetweenThreadsTest < TestCase
        include Hosts::Threads
        include SearchingHosts
        include Children

        # It has refused a write, and would refuse it again.
        def test_a_host_that_is_tried_last_is_begun_later_beside_a_silent_one
          counted(WELCOME, :drain.to_proc) do |hosts, _|
            assert_no_socket_left do
              now = Waiting.now
              Waiting.stub(:now, -> { now }) do
                search = search_that_avoids(hosts[0], config(*hosts))
                assert_nil search.run(now)
                now += 0.99
                assert_nil search.run(now)
                assert_equal "#{hosts[1]}:5432/app has not answered yet", search.state
                now += 0.02
                assert_equal "#{hosts[0]}:5432/app", search.run(now + 60).then { |found| found.io.close || found.server }
              ensure
                search&.abandon
              end
            end
          end
        end

        def test_no_host_answers_at_the_level_of_tcp
          silent_server do |hole|
            config = Config.new(env: {}, host: ["127.0.0.1"] * 2, port: [hole.ip_port, Trunkline::Bench::FreePort.find], user: "ann", dbname: "app")
            error = in_host { assert_raises(ConnectionError) { Connector.connect(config) } }
            assert_equal ["connection refused", "timed out"], error.reasons.map { |reason| reason.message[/connection refused|timed out/] }.sort
          end
        end

        def test_a_thread_that_is_killed_or_unwound_leaves_nothing_open
          both = Thread::Queue.new
          silent = ScriptedServer.silent(both)
          [->(thread) { thread.kill }, ->(thread) { thread.raise(Interrupt) }].each do |stop|
            counted(silent, silent) do |hosts, _|
              assert_no_socket_left do
                thread = Thread.new { Connector.connect(config(*hosts)) }
                thread.report_on_exception = false
                2.times { both.pop }
                stop.call(thread)
                assert thread.join(20)
              rescue Interrupt
                assert_predicate thread, :stop?
              end
            end
          end
        end

        def test_a_search_of_a_thread_that_has_ended_is_closed
          counted(:drain.to_proc) do |hosts, _|
            connector = Connector.new(config(*hosts))
            before = open_sockets
            2.times { Thread.new { leave(connector) }.join }
            leave(connector)
            assert_equal before + 1, open_sockets
            connector.close
            assert_equal before, open_sockets
          end
        end

        def test_a_search_is_not_taken_up_by_another_thread
          gate = Thread::Queue.new
          counted(welcome_after(gate)) do |hosts, calls|
            connector = Connector.new(config(*hosts))
            leave(connector)
            2.times { gate << true }
            assert_equal hosts[0], Thread.new { reached(connector) }.value
            assert_equal 2, calls[0].size
          ensure
            connector&.close
          end
        end

        def test_a_forked_child_searches_anew
          gate = Thread::Queue.new
          counted(welcome_after(gate)) do |hosts, calls|
            connector = Connector.new(config(*hosts))
            leave(connector)
            2.times { gate << true }
            assert_equal hosts[0], in_child { reached(connector) }
            assert_equal 2, calls[0].size
          ensure
            connector&.close
          end
        end

        private

        def search_that_avoids(host, config)
          memory = HostMemory.new(config, Random)
          memory.avoid("#{host}:5432/app", "its server is read-only")
          HostSearch.new(config, memory)
        end

        def leave(connector) = assert_raises(ConnectionError) { Trunkline.deadline(0.05) { connector.connect } }
      end
    end
  end
end
