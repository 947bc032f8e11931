# frozen_string_literal: true

module Trunkline
  # For Ruby 3.1, where nothing tells which fiber created another: the fibers of this thread that hold something and are in the middle of
  # resuming the calling fiber, directly or through others. The C function in which a fiber has stopped tells that: Enumerator#next
  # and its like, Fiber#resume, or that of an event loop that it runs.
  #
  # A fiber that an event loop runs is resumed by the loop, whatever fiber created it. So in a loop only two others find what a fiber
  # holds: the Enumerators that it steps, as no loop runs these; and, where a thread runs the loop while it holds something, the
  # loop's fibers.
  module ResumingFibers # :nodoc:
    STEPS = %w[next next_values peek peek_values].freeze
    RESUMES = [*STEPS, "resume"].freeze
    # What a loop's own fiber has stopped in while the loop runs others.
    LOOPS = [*RESUMES, "transfer", "select"].freeze
    # The fibers of a thread that hold something, in variables of the thread: those that an event loop runs, and the others.
    RUN_BY_LOOP = :@trunkline_loop_fibers_that_hold
    PLAIN = :@trunkline_plain_fibers_that_hold
    # Where the table of the others stays while none of them holds anything: each table leaves a finalizer at the thread's own fiber.
    PLAIN_KEPT = :@trunkline_plain_fibers
    # How a fiber that holds something can be resuming others. Its holding keeps it; it is found for as long as both are there.
    Entry = Struct.new(:holding, :labels, :name)
    private_constant :STEPS, :RESUMES, :LOOPS, :RUN_BY_LOOP, :PLAIN, :PLAIN_KEPT, :Entry

    module_function

    # @param holding [Holding] of the calling fiber
    # @return [Entry] which the holding keeps
    def entry(holding)
      return Entry.new(holding, STEPS, RUN_BY_LOOP) if Fiber.scheduler

      Entry.new(holding, Fiber.current.blocking? ? LOOPS : RESUMES, PLAIN)
    end

    # @param entry [Entry] of what the calling fiber holds now
    def note(entry)
      thread = Thread.current
      kept = entry.name == PLAIN ? PLAIN_KEPT : entry.name
      fibers = thread.instance_variable_get(kept) || thread.instance_variable_set(kept, ObjectSpace::WeakMap.new)
      fibers[Fiber.current] = entry
      thread.instance_variable_set(entry.name, fibers)
    end

    # The calling fiber holds nothing any more. Where it ran no loop and no other plain fiber holds anything, none need be looked for:
    # plain fibers that hold something are few, and those of a loop are looked for by Enumerators alone.
    def forget
      fibers = Thread.current.instance_variable_get(PLAIN) or return
      Thread.current.instance_variable_set(PLAIN, nil) if fibers.values.all? { |entry| entry.holding.ended? }
    end

    # @yieldparam holding [Holding] of a fiber that is resuming the calling one
    # @yieldreturn [Holding, nil]
    # @return [Holding, nil] the first that the block returned
    def find(&block) = find_among(PLAIN, &block) || (find_among(RUN_BY_LOOP, &block) unless Fiber.current_scheduler)

    def find_among(name)
      fibers = Thread.current.instance_variable_get(name) or return
      caller = Fiber.current
      fibers.each_pair do |fiber, entry|
        next if fiber.equal?(caller) || !entry.labels.include?(fiber.backtrace_locations(0, 1)&.first&.label)

        found = yield entry.holding
        return found if found
      end
      nil
    end

    private_class_method :find_among
  end
  private_constant :ResumingFibers
end
