# frozen_string_literal: true

# Messages from other threads to a loop that sleeps in select: posting makes the pipe readable.
class Mailbox
  # @return [IO] for the loop's select
  attr_reader :io

  def initialize
    @messages = Thread::Queue.new
    @io, @bell = IO.pipe
  end

  # Safe from any thread, never waits.
  #
  # @return [Boolean] false when the loop has gone, and with it everybody who could have been woken
  def post(*message)
    @messages << message
    @bell.write_nonblock(".", exception: false)
    true
  rescue IOError
    false
  end

  # Yields what has come.
  def drain
    @io.read_nonblock(4096, exception: false)
    yield(*@messages.pop) until @messages.empty?
  end

  def empty?
    @messages.empty?
  end

  def close
    @io.close
    @bell.close
  end
end
