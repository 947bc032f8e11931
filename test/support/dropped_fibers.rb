# frozen_string_literal: true

require_relative "schedulers/dropping"

# Fibers of event loops that end before they do. The test includes Hosts::Threads.
module DroppedFibers
  # Runs the block in fibers of a loop that ends before they do.
  def drop(count, &block)
    Thread.new do
      Fiber.set_scheduler(Dropping.new)
      count.times { Fiber.schedule(&block) }
    end.join
  end

  # Runs the block in a new thread, which lives until the queue is closed.
  def keep_after(finish) = Thread.new { yield.then { finish.pop } }

  # Runs the block while a thread lives that has run the first one, and makes no more calls.
  #
  # @param first [#call]
  def beside_a_thread_that_lives(first)
    dropped, finish = Array.new(2) { Thread::Queue.new }
    thread = keep_after(finish) { first.call.then { dropped.push(true) } }
    dropped.pop
    yield
  ensure
    finish.close
    thread.join
  end

  # Likewise in this thread, which continues without the loop.
  #
  # @return [Array<Fiber>]
  def drop_in_this_thread(count, &block) = Dropping.run { Array.new(count) { Fiber.schedule(&block) } }

  # Runs the block in a new thread, with a client of two connections.
  def in_thread(&block)
    in_host_with_client(connections: 1, max_connections: 2, max_wait: 20, &block)
  end
end
