# frozen_string_literal: true

module Trunkline
  # For Ruby 3.1, which does not record which fiber created another: finds the fibers of this thread that hold a scoped value and are resuming the
  # calling fiber, directly or through others. The method at which a fiber has stopped shows that: Enumerator#next and the like, Fiber#resume, or the
  # one of an event loop that it runs. Which fibers hold one is kept in C (scoped_value.c), with the functions note, forget and table.
  #
  # A fiber of an event loop is resumed by the loop, whatever fiber created it. So in a loop only two kinds of fibers see another's values:
  # Enumerators that the holder steps, as no loop runs these; and the loop's fibers, if a thread holds a value while it runs the loop.
  module ResumingFibers # :nodoc:
    STEPS = %w[next next_values peek peek_values].freeze
    RESUMES = [*STEPS, "resume"].freeze
    # Where a fiber that runs a loop has stopped while the loop runs others.
    LOOPS = [*RESUMES, "transfer", "select"].freeze
    # A kind of fiber: labels of the methods in which it resumes others, and whether an event loop runs it.
    FiberKind = Struct.new(:labels, :in_loop)
    IN_LOOP = FiberKind.new(STEPS, true).freeze
    BLOCKING = FiberKind.new(LOOPS, false).freeze
    NON_BLOCKING = FiberKind.new(RESUMES, false).freeze
    private_constant :STEPS, :RESUMES, :LOOPS, :FiberKind, :IN_LOOP, :BLOCKING, :NON_BLOCKING

    module_function

    # @return [FiberKind] of the calling fiber
    def kind
      return IN_LOOP if Fiber.scheduler

      Fiber.current.blocking? ? BLOCKING : NON_BLOCKING
    end

    # @yieldparam scoped [ScopedValue] of a fiber that is resuming the calling one
    # @yieldreturn [ScopedValue, nil]
    # @return [ScopedValue, nil] the first that the block returned
    def find(&block) = find_among(table(false), &block) || (find_among(table(true), &block) unless Fiber.current_scheduler)

    def find_among(fibers)
      return unless fibers

      caller = Fiber.current
      fibers.each_pair do |fiber, (scoped)|
        next if scoped.nil? || fiber.equal?(caller) || !scoped.kind.labels.include?(fiber.backtrace_locations(0, 1)&.first&.label)

        found = yield scoped
        return found if found
      end
      nil
    end

    private_class_method :find_among
  end
  private_constant :ResumingFibers
end
