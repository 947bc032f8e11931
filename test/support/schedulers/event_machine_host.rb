# frozen_string_literal: true

require "trunkline/schedulers/event_machine"
require_relative "hosts"

module Hosts
  # Fibers on EventMachine's loop. A process has one reactor, so one host at a time.
  module EventMachine
    include Callers

    REACTOR = Mutex.new
    private_constant :REACTOR

    # @see Threads#ways
    def ways = %i[raise]

    def in_host(&block)
      thread = Thread.new { REACTOR.synchronize { Trunkline::Schedulers::EventMachine.run(&block) } }
      thread.report_on_exception = false
      faults = Watchdog.join(thread, limit) or return thread.value

      raise Supervision::Hang, [*faults, *thread.backtrace&.first(8)].join("\n  ")
    ensure
      thread&.kill&.join
    end
  end

  # Those with an event loop.
  LOOPS = { Async: Async, Reference: Reference, EventMachine: EventMachine }.freeze
end
