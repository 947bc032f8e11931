# frozen_string_literal: true

require "test_helper"
require "socket"

module Trunkline
  # Bytes between a descriptor and a buffer.
  class BytesClassTest < TestCase
    def setup
      super
      @bytes = Bytes.new
      @here, @there = UNIXSocket.pair
      @here.nonblock = true
    end

    def teardown
      [@here, @there].each(&:close)
      super
    end

    def test_bytes_are_kept_in_order
      assert_equal [0, true, ""], [@bytes.size, @bytes.empty?, @bytes.to_s]
      @bytes << "one" << "\0\xFF".b << "" << "ü"
      assert_equal [7, false, "one\0\xFFü".b], [@bytes.size, @bytes.empty?, @bytes.to_s]
      assert_equal Encoding::BINARY, @bytes.to_s.encoding
      assert_raises(TypeError) { @bytes << 1 }
    end

    def test_bytes_are_taken
      string = +"in its place"
      @bytes << "hello"
      assert_same string, @bytes.take(3, string)
      assert_equal ["hel", "lo", true, ""], [string.dup, @bytes.take(9, string).dup, @bytes.empty?, @bytes.take(9, string).dup]
      @bytes << "x"
      assert_raises(FrozenError) { @bytes.take(1, "".freeze) }
      assert_raises(TypeError) { @bytes.take(1, nil) }
      assert_equal "x", @bytes.to_s
    end

    def test_receiving
      assert_equal :blocked, @bytes.receive_from(@here.fileno)
      @there.write("hello")
      assert_equal :received, @bytes.receive_from(@here.fileno)
      assert_equal [:blocked, "hello"], [@bytes.receive_from(@here.fileno), @bytes.to_s]
      @there.write(" again")
      @there.close_write
      assert_equal [:received, :closed, :closed], Array.new(3) { @bytes.receive_from(@here.fileno) }
      assert_equal "hello again", @bytes.to_s
    end

    def test_sending
      assert_equal true, @bytes.send_to(@here.fileno)
      @bytes << "hello"
      assert_equal [true, ""], [@bytes.send_to(@here.fileno), @bytes.to_s]
      assert_equal "hello", @there.readpartial(100)
    end

    def test_sending_more_than_the_socket_takes
      text = Random.new(1).bytes(3_000_000)
      @bytes << text
      assert_equal false, @bytes.send_to(@here.fileno)
      received = +"".b
      until @bytes.empty?
        received << @there.readpartial(1 << 20)
        @bytes.send_to(@here.fileno)
      end
      @here.close_write
      assert_equal text, received << @there.read
    end

    def test_large_messages_on_the_way_in
      writer = Thread.new { @there.write("x" * 5_000_000) && @there.close_write }
      until (got = @bytes.receive_from(@here.fileno)) == :closed
        @here.wait_readable if got == :blocked
      end
      writer.join
      assert_equal 5_000_000, @bytes.size
    end

    # Memory that Ruby did not give out does not tell it by itself that it is time to collect garbage.
    def test_the_garbage_collector_knows_of_it
      GC.disable
      before = GC.stat(:malloc_increase_bytes)
      kept = @bytes << ("x" * 3_000_000)
      assert_operator GC.stat(:malloc_increase_bytes) - before, :>=, 6_000_000
      assert_equal 3_000_000, kept.size
    ensure
      GC.enable
    end

    def test_a_peer_that_is_gone
      @there.close
      @bytes << "hello"
      assert_raises(Errno::EPIPE) { @bytes.send_to(@here.fileno) }
      assert_equal :closed, @bytes.receive_from(@here.fileno)
    end

    def test_no_descriptor
      @bytes << "x"
      assert_raises(Errno::EBADF) { @bytes.send_to(1 << 20) }
      assert_raises(Errno::EBADF) { @bytes.receive_from(1 << 20) }
      File.open(File::NULL) { |file| assert_raises(Errno::ENOTSOCK) { @bytes.receive_from(file.fileno) } }
    end

    def test_a_child_moves_no_bytes_of_its_parent
      @bytes << "hello"
      Process.wait(fork { exit!(refused?(:send_to) && refused?(:receive_from)) })
      assert_predicate $?, :success?
      assert_equal :wait_readable, @there.read_nonblock(10, exception: false)
      assert_equal "hello", @bytes.to_s
    end

    private

    def refused?(verb)
      @bytes.public_send(verb, @here.fileno)
      false
    rescue ConnectionError => error
      error.message == "this connection belongs to the parent process"
    end
  end
end
