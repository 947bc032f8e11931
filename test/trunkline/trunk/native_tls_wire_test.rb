# frozen_string_literal: true

require "test_helper"
require "support/openssl_server"
require "support/tls_wire_tests"

module Trunkline
  # C reads and writes.
  class NativeTLSWireTest < TestCase
    include TLSWireTests

    def wire_class
      assert_nil Socket::TLS::Libssl.obstacle(@here)
      NativeTLSWire
    end

    def test_records_that_are_split_at_every_byte
      relayed do |from_server, to_client, wire|
        ["a" * 10, "b", "c" * 300].each { |text| @there.write(text) }
        complete = from_server.readpartial(100_000).each_char.count do |byte|
          to_client.write(byte)
          wire.receive == :received
        end
        assert_equal [3, "#{"a" * 10}b#{"c" * 300}", :blocked], [complete, @input.to_s, wire.receive]
      end
    end

    def test_a_record_that_is_cut
      relayed do |from_server, to_client, wire|
        @there.write("whole")
        @there.write("cut")
        to_client.write(from_server.readpartial(100_000)[..-2])
        to_client.close
        assert_equal [:received, :closed, :closed, "whole"], [*Array.new(3) { wire.receive }, @input.to_s]
      end
    end

    # Whatever byte an attacker changes, nothing comes out that was not sent, and what OpenSSL says of it is told.
    def test_bytes_that_are_changed_on_the_way
      random = Random.new(Minitest.seed)
      30.times do
        relayed do |from_server, to_client, wire|
          @there.write("hello")
          bytes = from_server.readpartial(100_000)
          bytes.setbyte(at = random.rand(bytes.bytesize), bytes.getbyte(at) ^ random.rand(1..255))
          to_client.write(bytes)
          to_client.close
          error = assert_raises(ConnectionError) { nil while wire.receive == :received } if outcome(wire) == :broken
          assert_match(/\Athe encrypted connection broke: ./, error.message) if error
          assert_includes ["", "hello"], @input.to_s
          @input.take(@input.size, +"")
        end
      end
    end

    # Both sides go on under new keys.
    def test_new_keys
      OpenSSLServer.open("-tls1_3") do |server|
        wire = wire_to(server)
        3.times do |number|
          change_keys(server, wire) unless number.zero?
          server.write("hello #{number}\n")
          assert_equal "hello #{number}\n", received(wire, 8)
          @output << "from here #{number}\n"
          assert_equal [true, true], [wire.flush, wire.flushed?]
          assert server.wait_for("from here #{number}")
        end
      ensure
        wire&.close
      end
    end

    # OpenSSL declines in a warning, which its own server takes for a failure.
    def test_a_second_handshake_that_the_server_requests
      OpenSSLServer.open("-tls1_2") do |server|
        wire = wire_to(server)
        server.write("R\n")
        error = assert_raises(ConnectionError) { loop { wire.wait unless wire.receive == :received } }
        assert_match(/\Athe encrypted connection broke: .*alert/, error.message)
      ensure
        wire&.close
      end
    end

    # Ruby's object may outlive the wire, and libssl writes to what both own.
    def test_a_session_that_is_collected_before_its_socket
      Array.new(20) { shake_hands(*ends) }.each do |there, here|
        wire_class.new(here, Bytes.new, Bytes.new)
        GC.start if (here.object_id % 5).zero?
        assert_kind_of OpenSSL::X509::Certificate, here.peer_cert
        [here, there].each { |tls| tls.sync_close = true }.each(&:close)
      end
      GC.start
    end

    def test_what_is_no_session
      assert_raises(TypeError) { TLSSession.new("no socket") }
      assert_raises(TypeError) { @wire.tls.receive_into(+"", 0) }
      assert_raises(ArgumentError) { TLSSession.new(OpenSSL::SSL::SSLSocket.allocate) }
    end

    private

    # What the server's end of TLS sends goes no further than the test passes it on.
    #
    # @yieldparam from_server [::Socket] where it comes out
    # @yieldparam to_client [::Socket] where it goes in
    # @yieldparam wire [NativeTLSWire] the client's
    def relayed
      server, from_server = ends
      client, to_client = ends
      over, done = IO.pipe
      sockets = [server, from_server, client, to_client, over, done]
      relay = Thread.new { pass_on(over, from_server, to_client) }
      @there, here = shake_hands(server, client)
      done.close
      relay.join
      yield from_server, to_client, wire_class.new(here, @input, @output)
    ensure
      sockets.compact.each(&:close)
    end

    # Until the other end of the first is closed. What was read by then has been written.
    def pass_on(over, *pair)
      loop do
        ready = IO.select([over, *pair]).first
        return if ready.include?(over)

        ready.each { |from| (pair - [from]).first.write(from.readpartial(100_000)) }
      end
    end

    def outcome(wire)
      nil while (received = wire.receive) == :received
      received
    rescue ConnectionError
      :broken
    end

    def wire_to(server)
      context = OpenSSL::SSL::SSLContext.new
      context.options |= OpenSSL::SSL::OP_NO_RENEGOTIATION
      encrypted = Socket::TLS.connect(TCPSocket.new("127.0.0.1", server.port), context, nil)
      assert_nil Socket::TLS::Libssl.obstacle(encrypted)
      wire_class.new(encrypted, @input, @output)
    end

    def change_keys(server, wire)
      server.write("K\n")
      wire.wait
      assert_equal [:blocked, true], [wire.receive, wire.flushed?]
    end

    def received(wire, size)
      wire.wait until wire.receive == :received && @input.size >= size
      @input.take(size, +"")
    end
  end
end
