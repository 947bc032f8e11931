# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/open_sockets"
require "support/silent_server"

module Trunkline
  module Socket
    class TCPTest < TestCase
      include OpenSockets
      include SilentServer

      def setup
        @server = TCPServer.new("127.0.0.1", 0)
        @port = @server.addr[1]
      end

      def teardown = @server.close

      def test_a_connection_is_ready_for_short_messages_and_long_silences
        socket = TCP.connect("127.0.0.1", @port, Readiness.deadline(5))

        assert socket.getsockopt(:TCP, :NODELAY).bool
        assert socket.getsockopt(:SOCKET, :KEEPALIVE).bool
        assert_equal :wait_readable, socket.read_nonblock(1, exception: false)
        assert_equal @port, socket.remote_address.ip_port
      ensure
        socket&.close
      end

      def test_silence_is_probed_as_the_options_say
        socket = TCP.connect("127.0.0.1", @port, nil, keepalive: Keepalive.new(idle: 11, interval: 12, count: 13, user_timeout: 14_000))

        assert_equal [11, 12, 13, 14_000],
                     %i[TCP_KEEPIDLE TCP_KEEPINTVL TCP_KEEPCNT TCP_USER_TIMEOUT].map { |name| option(socket, name) }
      ensure
        socket&.close
      end

      def test_silence_is_probed_for_a_minute_by_default
        socket = TCP.connect("127.0.0.1", @port, nil)

        assert_equal [30, 10, 3, 60_000], %i[TCP_KEEPIDLE TCP_KEEPINTVL TCP_KEEPCNT TCP_USER_TIMEOUT].map { |name| option(socket, name) }
      ensure
        socket&.close
      end

      def test_silence_is_not_probed
        socket = TCP.connect("127.0.0.1", @port, nil, keepalive: Keepalive.new(on: false, idle: 11))

        refute socket.getsockopt(:SOCKET, :KEEPALIVE).bool
        refute_equal 11, option(socket, :TCP_KEEPIDLE)
      ensure
        socket&.close
      end

      # Whether or not this machine speaks IPv6.
      def test_addresses_of_both_families_are_tried
        socket = resolving_to(Addrinfo.tcp("::1", @port), Addrinfo.tcp("127.0.0.1", @port)) { TCP.connect("db", @port, nil) }

        assert_equal "127.0.0.1", socket.remote_address.ip_address
      ensure
        socket&.close
      end

      if ::Socket.ip_address_list.any?(&:ipv6_loopback?)
        def test_the_family_is_that_of_the_address
          TCPServer.open("::1", 0) do |server|
            socket = resolving_to(Addrinfo.tcp("::1", server.addr[1])) { TCP.connect("db", server.addr[1], nil) }
            assert_equal ::Socket::AF_INET6, socket.remote_address.afamily
          ensure
            socket&.close
          end
        end
      end

      def test_another_order
        refusing = %w[127.0.0.2 127.0.0.3 127.0.0.4].map { |address| Addrinfo.tcp(address, @port) }
        orders = Array.new(20) do |seed|
          error = assert_raises(ConnectionError) do
            resolving_to(*refusing) { TCP.connect("db", @port, nil, random: Random.new(seed)) }
          end
          error.message.scan(/127\.0\.0\.\d(?=:)/)
        end

        assert_operator orders.uniq.size, :>, 1
        assert_equal [refusing.map(&:ip_address)], orders.map(&:sort).uniq
      end

      def test_every_address_is_tried
        refusing = Addrinfo.tcp("127.0.0.2", @port)
        socket = resolving_to(refusing, Addrinfo.tcp("127.0.0.1", @port)) { TCP.connect("db", @port, nil) }

        assert_equal "127.0.0.1", socket.remote_address.ip_address
      ensure
        socket&.close
      end

      def test_refused_says_so_and_leaves_nothing_open
        port = Trunkline::Bench::FreePort.find

        assert_no_socket_left do
          error = assert_raises(ConnectionError) { TCP.connect("127.0.0.1", port, Readiness.deadline(5)) }
          assert_equal "cannot connect: 127.0.0.1: connection refused (is the server running there, and listening for TCP " \
                       "connections?) (server 127.0.0.1:#{port})", error.message
          assert_predicate error, :retriable?
        end
      end

      def test_a_reason_of_the_system
        broadcast = Addrinfo.tcp("255.255.255.255", @port)
        error = assert_raises(ConnectionError) { resolving_to(broadcast) { TCP.connect("db", @port, nil) } }

        assert_match(/\Acannot connect: 255\.255\.255\.255: [a-z' ]+ \(server db:\d+\)\z/, error.message)
      end

      def test_a_wait_that_ends_early_is_taken_up_again
        waits = [true, true, true, false]
        silent_server do |silent|
          error = Readiness.stub(:wait_writable, ->(*) { waits.shift }) do
            assert_raises(ConnectionError) { TCP.connect("127.0.0.1", silent.ip_port, nil) }
          end
          assert_includes error.message, "127.0.0.1: timed out"
        end
        assert_empty waits
      end

      def test_all_reasons_are_named_once
        addresses = %w[127.0.0.2 127.0.0.3 127.0.0.3].map { |address| Addrinfo.tcp(address, @port) }
        error = assert_raises(ConnectionError) { resolving_to(*addresses) { TCP.connect("db", @port, nil, server: "db/app") } }

        assert_match(/\Acannot connect: 127\.0\.0\.2: connection refused [^;]+; 127\.0\.0\.3: [^;]+ \(server db\/app\)\z/, error.message)
      end

      def test_a_silent_address_leaves_time_for_the_next
        silent_server do |silent|
          socket = resolving_to(silent, Addrinfo.tcp("127.0.0.1", @port)) { TCP.connect("db", @port, Readiness.deadline(60)) }

          assert_equal @port, socket.remote_address.ip_port
        ensure
          socket&.close
        end
      end

      def test_silence_ends_at_the_deadline
        silent_server do |silent|
          assert_no_socket_left do
            error = assert_raises(ConnectionError) { TCP.connect("127.0.0.1", silent.ip_port, Readiness.deadline(0.1)) }
            assert_equal "cannot connect: 127.0.0.1: timed out (server 127.0.0.1:#{silent.ip_port})", error.message
          end
        end
      end

      def test_a_thread_killed_while_it_connects_leaves_nothing_open
        silent_server do |silent|
          assert_no_socket_left do
            thread = Thread.new { TCP.connect("127.0.0.1", silent.ip_port, nil) }
            Thread.pass until thread.stop?
            thread.kill.join
          end
        end
      end

      def test_an_unknown_host
        failing = ->(*) { raise SocketError, "getaddrinfo: Name or service not known" }
        error = Addrinfo.stub(:getaddrinfo, failing) do
          assert_raises(ConnectionError) { TCP.connect("nohost", 1, nil) }
        end

        assert_equal 'cannot find the host "nohost": getaddrinfo: Name or service not known (server nohost:1)', error.message
      end

      def test_a_resolver_that_knows_nothing
        error = assert_raises(ConnectionError) { resolving_to { TCP.connect("nohost", 1, nil) } }

        assert_equal 'cannot find the host "nohost": the name has no address (server nohost:1)', error.message
      end

      private

      def option(socket, name) = socket.getsockopt(::Socket::IPPROTO_TCP, ::Socket.const_get(name)).int

      def resolving_to(*addresses, &block) = Addrinfo.stub(:getaddrinfo, addresses, &block)
    end
  end
end
