# frozen_string_literal: true

require "async"

module Trunkline
  module Bench
    # Several callers at once: threads, fibers of Async, fibers on EventMachine's loop; or fibers of Async that stop their loop
    # whenever they wait.
    module SideBySide
      KINDS = %w[threads fibers event_machine blocking].freeze

      module_function

      # @param kind [String] one of KINDS
      # @param count [Integer] callers
      # @yieldparam number [Integer] of the caller
      # @return [Array] what the callers returned
      def run(kind, count, &caller)
        case kind
        when "threads" then Array.new(count) { |number| Thread.new { caller.call(number) } }.map(&:value)
        when "fibers" then in_async(count, &caller)
        when "blocking" then in_async(count) { |number| Fiber.new(blocking: true) { caller.call(number) }.resume }
        when "event_machine" then in_event_machine(count, &caller)
        end
      end

      def in_async(count)
        Sync { |task| Array.new(count) { |number| task.async { yield number } }.map(&:wait) }
      end

      def in_event_machine(count)
        require "trunkline/schedulers/event_machine"
        results = []
        Schedulers::EventMachine.run { count.times { |number| Fiber.schedule { results[number] = yield(number) } } }
        results
      end
      private_class_method :in_async, :in_event_machine
    end
  end
end
