# frozen_string_literal: true

require_relative "../postgres/client"
require_relative "workers"

module Trunkline
  class << self
    # The threads that {offload} uses; a program may replace them when it starts.
    #
    # @return [Workers] 4 threads, and a queue of 256 by default
    attr_accessor :workers
  end

  self.workers = Workers.new

  # Runs blocking work on a thread, while the event loop runs other fibers. Outside of an event loop, and on such a thread itself, it is run directly.
  # Queries do not need this: they wait without blocking other fibers.
  #
  #   report = Trunkline.offload { Legacy.fetch_over_a_blocking_library }
  #
  # Waits in C or in the system overlap; Ruby code runs in one thread at a time, and delays the others.
  #
  # @param deadline [Numeric, nil] seconds from now
  # @return [Object] what the block returns
  # @raise [Exception] what the block raises
  # @raise [Deadline, Overloaded] as {Workers#run}
  # @raise [SharedStateError] the caller holds a transaction or session, which the block could not use on another thread
  def self.offload(deadline: nil, &block)
    raise ArgumentError, "offload needs a block" unless block
    return Trunkline.deadline(deadline, &block) if deadline && !Fiber.current_scheduler
    return yield unless Fiber.current_scheduler
    raise SharedStateError, HELD if Postgres.session_held?

    workers.run(deadline: deadline, &block)
  end

  HELD = "a block on another thread cannot use the transaction or session that is open here, and its queries would wait for " \
         "it or miss its changes: offload before it begins, or after it has ended"
  private_constant :HELD
end
