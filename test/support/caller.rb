# frozen_string_literal: true

# A caller of the client beside others: a fiber where there is a scheduler, else a thread.
class Caller
  # How a killed thread ends.
  Killed = Class.new(StandardError)

  # @return [Fiber, Thread]
  attr_reader :body

  # Starts the block as a caller of its own. Only in the block can it be interrupted.
  def initialize(&block)
    @outcome = Thread::Queue.new
    @scheduler = Fiber.scheduler
    @body = @scheduler ? Fiber.schedule { work(block) } : protected_thread(block)
  end

  # Waits for the end.
  #
  # @return what the block has returned
  # @raise [Exception] what it has raised
  def value
    result, error = @outcome.pop.tap { |outcome| @outcome << outcome }
    error ? raise(error) : result
  end

  # Waits for the end.
  #
  # @return [Exception, nil] what the block has raised
  def error
    value
    nil
  rescue Exception => error # rubocop:disable Lint/RescueException
    error
  end

  def done?
    !@outcome.empty?
  end

  # Raises in the caller, wherever it waits. Nothing happens to one that has ended.
  def cancel(exception)
    return if done?

    case @scheduler
    when nil then body.raise(exception)
    when ReferenceScheduler then @scheduler.cancel_soon(body, exception)
    when Async::Scheduler then @scheduler.raise(body, exception)
    else @scheduler.raise_in(body, exception)
    end
  end

  # Ends the caller, wherever it waits, by the method of its scheduler or thread.
  def kill
    return if done?

    case @scheduler
    when nil then body.kill
    when ReferenceScheduler then @scheduler.cancel_soon(body, Supervision::Abandoned.new("killed"))
    else @task.stop
    end
  end

  private

  # Exceptions from outside are raised within the block only.
  def protected_thread(block)
    Thread.handle_interrupt(Object => :never) do
      Thread.new { work(-> { Thread.handle_interrupt(Object => :immediate) { block.call } }) }
    end
  end

  def work(block)
    @task = Async::Task.current? if defined?(Async)
    @outcome << [block.call, nil]
  rescue Exception => error # rubocop:disable Lint/RescueException
    @outcome << [nil, error]
  ensure
    @outcome << [nil, Killed.new] if @outcome.empty?
  end
end
