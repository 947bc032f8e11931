# frozen_string_literal: true

require "socket"

module Trunkline
  # For tests of what a failure leaves behind.
  module OpenSockets
    # Asserts that the block leaves no more sockets open than there were, without the help of the garbage collector.
    # @return what the block returns
    def assert_no_socket_left
      was_disabled = GC.disable
      before = open_sockets
      yield.tap { assert_equal before, open_sockets, "sockets left open" }
    ensure
      GC.enable unless was_disabled
    end

    private

    def open_sockets = ObjectSpace.each_object(::Socket).count { |socket| !socket.closed? }
  end
end
