# frozen_string_literal: true

require "test_helper"
require "support/tls_wire_tests"

module Trunkline
  # Ruby's SSLSocket reads and writes.
  class RubyTLSWireTest < TestCase
    include TLSWireTests

    def wire_class = RubyTLSWire

    def test_reading_that_must_write_first
      waits = []
      reluctant = stand_in(@here.to_io, :wait_writable, "hello")
      wire = RubyTLSWire.new(reluctant, @input, @output)
      assert_equal :blocked, wire.receive
      Socket::Readiness.stub(:wait_once, ->(_io, events, _seconds) { waits << events }) { wire.wait }
      assert_equal [IO::READABLE | IO::WRITABLE], waits
      assert_equal [:received, "hello"], [wire.receive, @input.to_s]
    end

    def test_a_new_handshake_is_refused
      @output << "hello"
      wire = RubyTLSWire.new(stand_in(@here.to_io), @input, @output)
      error = assert_raises(ConnectionError) { wire.flush }
      assert_equal "the server requests TLS renegotiation, which is refused", error.message
    end

    private

    # A stream with these results for its reads, which has to read before it can write.
    def stand_in(io, *answers)
      Struct.new(:to_io, :answers, :sync_close) do
        def pending = 0
        def read_nonblock(*, **) = answers.shift || :wait_readable
        def write_nonblock(*, **) = :wait_readable
      end.new(io, answers)
    end
  end
end
