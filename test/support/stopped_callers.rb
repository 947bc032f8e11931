# frozen_string_literal: true

require_relative "interruptions"

# Callers that are stopped where they wait, in each way that their host has. The test includes a host.
module StoppedCallers
  include Interruptions

  # Unwinds a thread by throw, as older versions of Timeout do: no `rescue` sees it.
  class Unwinding < Exception # rubocop:disable Lint/InheritException
    def initialize(thread)
      super("unwinding")
      @thread = thread
    end

    def exception(*) = Thread.current.equal?(@thread) ? throw(:unwound) : self
  end
  private_constant :Unwinding

  private

  # Has a caller do the work, waits until the caller waits, and stops it there.
  #
  # @param way [Symbol] one of the host's
  # @param work [Proc]
  # @yield waits for the place, where the caller's sleep does not tell it
  # @return [Caller] that has ended, with an error unless its work was done before
  def stopped(way, work)
    task = nil
    caller = later do
      task = Async::Task.current if way == :stop
      unwindable(work)
    end
    yield if block_given?
    Thread.pass until caller.done? || Fiber.scheduler || caller.body.stop?
    way == :stop ? task.stop : interrupt(caller, way)
    caller.tap(&:error)
  end

  # As {#stopped}; the work must not be done before.
  def stop(way, work, &) = refute_nil(stopped(way, work, &).error, way)

  def unwindable(work)
    catch(:unwound) { return work.call }
    raise Interruptions::Cancelled, "unwound"
  end

  def interrupt(caller, way)
    case way
    when :kill then caller.body.kill
    when :throw then caller.cancel(Unwinding.new(caller.body))
    else caller.cancel(Interruptions::Cancelled.new)
    end
  end
end
