# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/scripted_server"
require "support/silent_server"

module Trunkline
  module Postgres
    # Searches for a host that no caller can continue, as the thread of their caller has ended.
    class EndedThreadsTest < TestCase
      include SilentServer

      WELCOME = lambda do |peer|
        peer.startup
        peer << BackendMessages.authentication(0) << BackendMessages.session
      end
      private_constant :WELCOME

      # Each caller has a thread of its own, and less time than it takes to find out that the first host is silent: what they have waited adds up.
      def test_short_deadlines_in_threads_that_end_reach_the_second_host
        scripts = [:drain.to_proc, nil] # a handshake that stalls, and packets that vanish
        scripts.each do |script|
          beside_silence(script) do |hosts, ports|
            connector = Connector.new(config(hosts, ports))
            count = (1..100).find { Thread.new { reached_in_time?(connector) }.value }
            assert_includes 2..100, count
          ensure
            connector&.close
          end
        end
      end

      def test_silence_that_several_callers_have_waited_for_at_once_counts_once
        memory = HostMemory.new(config = config(%w[/one /two], nil), Random)
        host = config.hosts.first
        [[0.0, 0.1], [0.0, 0.1], [0.05, 0.15], [0.02, 0.1]].each { |since, till| memory.unanswered(host, since, till) }
        Waiting.stub(:now, 0.2) { assert_in_delta 0.15, memory.unanswered_for(host) }
        Waiting.stub(:now, 6.0) { assert_equal 0.0, memory.unanswered_for(host) }
        memory.failed(host, ConnectionError.new("it has answered"))
        Waiting.stub(:now, 0.2) { assert_equal [0.0, false], [memory.unanswered_for(host), memory.last?(host)] }
      end

      private

      def config(hosts, ports) = Config.new(env: {}, host: hosts, port: ports, user: "ann", dbname: "app", connect_timeout: 20)

      # @yieldparam hosts [Array<String>] a silent one, and one that works
      # @yieldparam ports [String]
      def beside_silence(script)
        ScriptedServer.open(WELCOME) do |server|
          works = server.conninfo[/host=(\S+)/, 1]
          next silent_server { |hole| yield ["127.0.0.1", works], "#{hole.ip_port},5432" } unless script

          ScriptedServer.open(script) { |silent| yield [silent.conninfo[/host=(\S+)/, 1], works], "5432" }
        end
      end

      def reached_in_time?(connector)
        Trunkline.deadline(0.1) { connector.connect }.io.close || true
      rescue ConnectionError
        false
      end
    end
  end
end
