# frozen_string_literal: true

# Messages from other threads to a loop that sleeps in select: posting makes the pipe readable. A forked child makes its own pipe, or it would wake
# its parent.
class Mailbox
  def initialize
    @messages = Thread::Queue.new
    @lock = Thread::Mutex.new
    renew
  end

  # @return [IO] for the loop's select
  def io
    renew
    @io
  end

  # Safe from any thread, never waits.
  #
  # @return [Boolean] false when the loop has gone, and with it every fiber that could have been woken
  def post(*message)
    renew
    @messages << message
    @bell.write_nonblock(".", exception: false)
    true
  rescue IOError
    false
  end

  # Yields what has come.
  def drain
    io.read_nonblock(4096, exception: false)
    yield(*@messages.pop) until @messages.empty?
  end

  def empty?
    @messages.empty?
  end

  def close
    @io.close
    @bell.close
  end

  private

  def renew
    @lock.synchronize do
      next if @owner == Process.pid

      @io, @bell = IO.pipe
      @owner = Process.pid
    end
  end
end
