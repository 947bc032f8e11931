# frozen_string_literal: true

require "test_helper"
require "socket"

module Trunkline
  class WireTest < TestCase
    # A thread may come to a connection that another has just closed.
    def test_a_descriptor_that_belongs_to_another_file_by_now
      here, there = UNIXSocket.pair
      wire = Wire.new(here, input = Bytes.new, output = Bytes.new)
      wire.close
      there.close
      others = Array.new(4) { UNIXSocket.pair }
      others.flatten.each { |socket| socket.write("not yours") }
      output << "hello"

      assert_raises(Errno::EBADF) { wire.receive }
      assert_raises(Errno::EBADF) { wire.flush }
      assert_empty input.to_s
      others.flatten.each { |socket| assert_equal "not yours", socket.read_nonblock(100) }
    ensure
      others&.flatten&.each(&:close)
    end

    def test_only_a_wait_with_a_deadline_has_an_end
      here, = UNIXSocket.pair
      waits = []
      wire = Wire.new(here, Bytes.new, Bytes.new)
      Socket::Readiness.stub(:wait_once, ->(_io, _events, seconds) { waits << seconds }) do
        [nil, Waiting.now + 60, Waiting.now - 1].each { |deadline| wire.wait(deadline) }
      end
      assert_equal [nil, 1.0, 0.0], waits
    end

    # There are schedulers that ask this of every IO.
    def test_an_io_with_a_timeout_of_its_own
      here, = UNIXSocket.pair
      Wire.new(here, Bytes.new, Bytes.new)
      assert_nil here.timeout
    end
  end
end
