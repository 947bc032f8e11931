# frozen_string_literal: true

require "openssl"
require_relative "../socket/tls_reason"
require_relative "lock"
require_relative "wire"

module Trunkline
  # The bytes between a codec and TLS over a socket, where Ruby's SSLSocket reads and writes: see NativeTLSWire. Waits are for the socket, as
  # everywhere; data that TLS has already decrypted is not visible to them.
  class RubyTLSWire < Wire # :nodoc:
    RECORD = 16 * 1024 # bytes, the most that TLS carries in one
    # Bytes that are read before they are decoded. A bound on memory: the next call reads the rest.
    ENOUGH = 4 * RECORD
    private_constant :RECORD, :ENOUGH

    # @param tls [OpenSSL::SSL::SSLSocket] connected and non-blocking
    # @param input [Bytes]
    # @param output [Bytes]
    def initialize(tls, input, output)
      super(tls.to_io, input, output)
      tls.sync_close = false
      @tls = tls
      @generation = Trunkline.process_generation
      @lock = Lock.new
      @received = String.new(capacity: RECORD)
      @unsent = String.new
      @must_write = false
      @failure = nil
    end

    # See Wire#native?.
    def native? = false

    # See Wire#receive. A server that closes without a close_notify alert counts as closed: the protocol itself shows where messages end.
    def receive
      @lock.synchronize { read_records }
    end

    # See Wire#flush.
    def flush
      flushed? || @lock.synchronize { write_records }
    end

    # What was given to TLS cannot be withdrawn, so it is not left in the output.
    def flushed? = @output.empty? && @unsent.empty?

    # See Wire#wait.
    def wait(deadline = nil)
      return if @tls.pending.positive?

      wait_once(flushed? && !@must_write, seconds_until(deadline))
    end

    # Sends close_notify, but not from a forked child, whose parent has the session. A later call must not reach OpenSSL, which knows the descriptor
    # only by its number: the system may give that to another file at once.
    def close
      @failure ||= ConnectionError.new("the connection is closed")
      @lock.synchronize { send_close_notify } if @generation == Trunkline.process_generation
      @io.close
    rescue IOError
      # closed meanwhile
    end

    # @return [String] the class alone: the instance variables contain data
    def inspect = "#<#{self.class}>"

    private

    def send_close_notify
      @tls.close unless @io.closed?
    rescue SystemCallError, OpenSSL::SSL::SSLError
      # the other side has closed already
    end

    # Holds the lock: two threads must not interleave what they read.
    def read_records
      check
      count = 0
      while count < ENOUGH
        bytes = @tls.read_nonblock(RECORD, @received, exception: false)
        return nothing_more(bytes, count) unless bytes.is_a?(String)

        count += bytes.bytesize
        @input << bytes
      end
      :received
    rescue SystemCallError, OpenSSL::SSL::SSLError => error
      @failure = broken(error)
      count&.positive? ? :received : raise(@failure)
    end

    def nothing_more(answer, count)
      @must_write = answer == :wait_writable
      return :received if count.positive?

      answer ? :blocked : :closed
    end

    def check
      raise ConnectionError, "this connection belongs to the parent process" unless @generation == Trunkline.process_generation
      raise @failure if @failure
    end

    # A repeated write must have the same bytes.
    def write_records
      check
      until flushed?
        @output.take(RECORD, @unsent) if @unsent.empty?
        count = @tls.write_nonblock(@unsent, exception: false)
        return false if count == :wait_writable
        raise ConnectionError, "the server requests TLS renegotiation, which is refused" if count == :wait_readable

        @unsent = @unsent.byteslice(count..)
      end
      true
    rescue OpenSSL::SSL::SSLError => error
      raise broken(error)
    end

    def broken(error)
      return error unless error.is_a?(OpenSSL::SSL::SSLError)

      ConnectionError.new("the encrypted connection broke: #{Socket::TLSReason.of(error)}")
    end
  end
  private_constant :RubyTLSWire
end
