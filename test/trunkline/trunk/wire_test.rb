# frozen_string_literal: true

require "test_helper"
require "socket"

module Trunkline
  class WireTest < TestCase
    # A thread may come to a connection that another has just closed.
    def test_a_descriptor_that_belongs_to_somebody_else_by_now
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
  end
end
