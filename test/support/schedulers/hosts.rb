# frozen_string_literal: true

require "async"
require_relative "../caller"
require_relative "hostile_scheduler"
require_relative "../watchdog"

# Hosts: environments that run many concurrent callers. A test includes one; `in_host` runs a block there, `later` starts a caller.
module Hosts
  # Seconds until a test counts as hung.
  LIMIT = 300

  # Methods of all hosts.
  module Callers
    # @return [Numeric] seconds that all may take
    def limit = LIMIT

    # Starts a caller beside this one.
    #
    # @return [Caller]
    def later(&block)
      Caller.new(&block)
    end

    # Runs the block for each item, concurrently.
    #
    # @return [Array] the values in the items' order
    def side_by_side(items)
      items.map { |item| later { yield item } }.map(&:value)
    end

    # Runs the block in the host, with a client of the shared server that is closed afterwards.
    #
    # @param options [Hash] keywords of Trunkline.postgres
    # @return what the block returns
    def in_host_with_client(**options, &block)
      in_host { with_client(**options, &block) }
    end
  end

  # Plain threads.
  module Threads
    include Callers

    # @return [Array<Symbol>] the ways in which a caller may be stopped where it waits
    def ways = %i[raise throw kill]

    def in_host
      thread = Thread.new { yield }
      thread.report_on_exception = false
      faults = Watchdog.join(thread, limit) or return thread.value

      raise Supervision::Hang, (faults + Thread.list.filter_map(&:backtrace).map { |lines| lines.first(8).join("\n  ") }).join("\n")
    ensure
      thread&.kill
    end
  end

  # Fibers under Async.
  module Async
    include Callers

    # @see Threads#ways
    def ways = %i[raise stop]

    def in_host
      scheduler = nil
      thread = Thread.new { Sync { (scheduler = Fiber.scheduler) && yield } }
      thread.report_on_exception = false
      faults = Watchdog.join(thread, limit) or return thread.value

      raise Supervision::Hang, [*faults, StringIO.new.tap { |report| scheduler.print_hierarchy(report) }.string].join("\n")
    ensure
      thread&.kill
    end
  end

  # Fibers under the reference scheduler, which the client must not misuse.
  module Reference
    include Callers

    # @see Threads#ways
    def ways = %i[raise]

    def in_host
      ReferenceScheduler.run(limit: limit, longest_io_wait: 1.0) do |scheduler|
        yield.tap { assert_empty scheduler.violations.uniq }
      end
    end
  end

  # Fibers under a hostile scheduler, with the test's options in `hostility`.
  module Hostile
    include Callers

    # @see Threads#ways
    def ways = %i[raise]

    def in_host
      HostileScheduler.run(limit: limit, longest_io_wait: 1.0, **hostility) do |scheduler|
        yield.tap { assert_empty scheduler.violations.uniq }
      end
    end
  end
end
