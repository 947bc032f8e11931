# frozen_string_literal: true

require "socket"
require_relative "tls_authority"

module Trunkline
  # Tests of both wires, over TLS between two sockets of this process.
  module TLSWireTests
    LARGE = Random.new(1).bytes(3_000_000)

    def setup
      super
      @there, @here = shake_hands(*ends)
      @wire = wire_class.new(@here, @input = Bytes.new, @output = Bytes.new)
    end

    def teardown
      [@here, @there].each { |tls| tls.to_io.close }
      super
    end

    def test_receiving
      assert_equal :blocked, @wire.receive
      @there.write("hello")
      assert_equal [:received, :blocked, "hello"], [@wire.receive, @wire.receive, @input.to_s]
      @there.write(" again")
      @there.close
      assert_equal [:received, :closed, :closed], Array.new(3) { @wire.receive }
      assert_equal "hello again", @input.to_s
    end

    def test_a_peer_that_closes_without_farewell
      @there.write("hello")
      @there.to_io.close
      assert_equal [:received, :closed, :closed, "hello"], [*Array.new(3) { @wire.receive }, @input.to_s]
    end

    def test_many_records_at_once
      100.times { |number| @there.write(number.to_s.rjust(10)) }
      assert_equal [:received, :blocked], [@wire.receive, @wire.receive]
      assert_equal Array.new(100) { |number| number.to_s.rjust(10) }.join, @input.to_s
    end

    def test_large_messages_on_the_way_in
      writer = Thread.new { @there.write(LARGE) }
      until @input.size == LARGE.bytesize
        @wire.wait unless @wire.receive == :received
      end
      writer.join
      assert_equal LARGE, @input.to_s
    end

    def test_large_messages_on_the_way_out
      @output << LARGE
      assert_equal [false, false], [@wire.flush, @wire.flushed?]
      reader = Thread.new { @there.read(LARGE.bytesize) }
      @wire.wait until @wire.flush
      assert_equal [true, true, LARGE], [@wire.flush, @wire.flushed?, reader.value]
    end

    def test_what_is_appended_while_a_record_waits_for_room
      @output << LARGE
      @wire.flush
      @output << "the end"
      reader = Thread.new { @there.read(LARGE.bytesize + 7) }
      @wire.wait until @wire.flush
      assert_equal "#{LARGE}the end".b, reader.value
    end

    # Bytes that a caller removes from the output must not have been passed to TLS.
    def test_what_is_taken_back_while_a_record_waits_for_room
      @output << LARGE
      @wire.flush
      left = @output.size
      @output.take(left, +"")
      assert_equal [true, false], [@output.empty?, @wire.flushed?]
      reader = Thread.new { @there.read(LARGE.bytesize - left) }
      @wire.wait until @wire.flush
      assert_equal [LARGE.byteslice(0, LARGE.bytesize - left), true], [reader.value, @wire.flushed?]
    end

    def test_no_caller_sleeps_on_what_is_decrypted
      there, here = shake_hands(*ends)
      there.write("hello")
      assert_equal "h", here.read_nonblock(1)
      wire = wire_class.new(here, @input, @output)
      4.times { wire.wait }
      assert_equal [:received, "ello"], [wire.receive, @input.to_s]
    ensure
      [here, there].each { |tls| tls.to_io.close }
    end

    def test_bytes_that_were_tampered_with
      @there.write("hello")
      @there.to_io.write("\x17\x03\x03\x00\x20#{"x" * 32}")
      assert_equal [:received, "hello"], [@wire.receive, @input.to_s]
      2.times do
        error = assert_raises(ConnectionError) { @wire.receive }
        assert_match(/\Athe encrypted connection broke: .*(decryption|bad record mac|record layer failure)/, error.message)
      end
    end

    def test_a_peer_that_is_gone
      @there.to_io.close
      @output << "hello"
      assert_raises(Errno::EPIPE) { @wire.flush }
    end

    # The socket stays open, so a wait for it would never end.
    def test_a_farewell_behind_bytes_without_a_hang_up
      @there.write("hello")
      @there.sync_close = false
      @there.close
      assert_equal [:received, "hello"], [@wire.receive, @input.to_s]
      Socket::Readiness.stub(:wait_once, ->(*) { flunk "it waits for a socket that tells nothing more" }) { @wire.wait } if @wire.native?
      2.times { assert_equal :closed, @wire.receive }
    end

    def test_closing_sends_close_notify
      @wire.close
      assert_nil @there.read(1)
      @wire.close
      assert_predicate @here.to_io, :closed?
    end

    # A thread may use a connection that another has just closed.
    def test_a_descriptor_that_belongs_to_another_file_by_now
      @wire.close
      others = Array.new(4) { UNIXSocket.pair }
      others.flatten.each { |socket| socket.write("not yours") }
      @output << "hello"
      %i[receive flush].each { |verb| assert_raises(ConnectionError, Errno::EBADF) { @wire.public_send(verb) } }
      others.flatten.each { |socket| assert_equal "not yours", socket.read_nonblock(100) }
    ensure
      others&.flatten&.each(&:close)
    end

    def test_shutting_down_wakes_a_caller_that_waits
      @wire.shut_down
      @wire.wait
      assert_equal :closed, @wire.receive
      @wire.close
    end

    def test_a_child_moves_no_bytes_of_its_parent_and_closes_in_silence
      @output << "hello"
      Process.wait(fork { exit!(refused?(:receive) && refused?(:flush) && @wire.close.nil? && @here.to_io.closed?) })
      assert_predicate $?, :success?
      assert_equal [:wait_readable, true], [@there.read_nonblock(10, exception: false), @wire.flush]
      assert_equal "hello", @there.readpartial(10)
    end

    def test_threads_do_not_mix_up_what_they_read
      text = Array.new(50_000) { |number| number.to_s.rjust(8) }.join
      writer = Thread.new { text.scan(/.{1,1000}/) { |part| @there.write(part) } }
      readers = Array.new(4) { Thread.new { @wire.receive while @input.size < text.bytesize } }
      [writer, *readers].each(&:join)
      assert_equal text, @input.to_s
    end

    private

    def ends = UNIXSocket.pair.each { |socket| socket.nonblock = true }

    # @return [Array<OpenSSL::SSL::SSLSocket>] the server's, the client's
    def shake_hands(there, here)
      server = OpenSSL::SSL::SSLContext.new
      server.add_certificate(TLSAuthority.shared.issue("wire", key: (key = TLSAuthority.key)), key)
      client = OpenSSL::SSL::SSLContext.new
      client.options |= OpenSSL::SSL::OP_IGNORE_UNEXPECTED_EOF
      accepting = Thread.new { OpenSSL::SSL::SSLSocket.new(there, server).accept }
      connected = OpenSSL::SSL::SSLSocket.new(here, client).connect
      connected.sync_close = true
      [accepting.value, connected]
    end

    def refused?(verb)
      @wire.public_send(verb)
      false
    rescue ConnectionError => error
      error.message == "this connection belongs to the parent process"
    end
  end
end
