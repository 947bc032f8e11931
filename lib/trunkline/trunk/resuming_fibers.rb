# frozen_string_literal: true

module Trunkline
  # For Ruby 3.1, which does not record which fiber created another: finds the fibers of this thread that hold a scoped value and are resuming the
  # calling fiber, directly or through others. The method at which a fiber has stopped shows that: Enumerator#next and the like, Fiber#resume, or the
  # one of an event loop that it runs.
  #
  # A fiber of an event loop is resumed by the loop, whatever fiber created it. So in a loop only two kinds of fibers see another's values:
  # Enumerators that the holder steps, as no loop runs these; and the loop's fibers, if a thread holds a value while it runs the loop.
  module ResumingFibers # :nodoc:
    STEPS = %w[next next_values peek peek_values].freeze
    RESUMES = [*STEPS, "resume"].freeze
    # Where a fiber that runs a loop has stopped while the loop runs others.
    LOOPS = [*RESUMES, "transfer", "select"].freeze
    # Variables of a thread: its fibers that have held something, those that an event loop runs and the others.
    RUN_BY_LOOP = :@trunkline_loop_fibers_that_hold
    PLAIN = :@trunkline_plain_fibers_that_hold
    # Where the table of the others is kept while none of them holds anything: each new table would leave a finalizer at the thread's root fiber.
    PLAIN_KEPT = :@trunkline_plain_fibers
    # A kind of fiber: labels of the methods in which it resumes others, the thread's variable in which it is searched, the one in which that table is
    # kept, and the fiber's own variable for its entry there.
    FiberKind = Struct.new(:labels, :table, :kept_table, :entry)
    IN_LOOP = FiberKind.new(STEPS, RUN_BY_LOOP, RUN_BY_LOOP, :trunkline_held_in_loop).freeze
    BLOCKING = FiberKind.new(LOOPS, PLAIN, PLAIN_KEPT, :trunkline_held).freeze
    NON_BLOCKING = FiberKind.new(RESUMES, PLAIN, PLAIN_KEPT, :trunkline_held).freeze
    # What a fiber holds now, or nil. The fiber keeps its entry for life: before Ruby 3.3 a WeakMap loses a value that was assigned to an existing key
    # as soon as the former value is collected.
    Entry = Struct.new(:scoped)
    private_constant :STEPS, :RESUMES, :LOOPS, :RUN_BY_LOOP, :PLAIN, :PLAIN_KEPT, :FiberKind, :IN_LOOP, :BLOCKING, :NON_BLOCKING, :Entry

    module_function

    # @return [FiberKind] of the calling fiber
    def kind
      return IN_LOOP if Fiber.scheduler

      Fiber.current.blocking? ? BLOCKING : NON_BLOCKING
    end

    # @param scoped [ScopedValue] what the calling fiber holds now
    def note(scoped)
      kind = scoped.kind
      thread = Thread.current
      fibers = thread.instance_variable_get(kind.kept_table) || thread.instance_variable_set(kind.kept_table, ObjectSpace::WeakMap.new)
      entry = thread[kind.entry] ||= (fibers[Fiber.current] = Entry.new)
      entry.scoped = scoped
      thread.instance_variable_set(kind.table, fibers)
    end

    # The calling fiber holds nothing any more. If no plain fiber of the thread holds anything, later calls of {find} skip the search: few plain
    # fibers hold values, and those of a loop are searched by Enumerators only.
    def forget
      thread = Thread.current
      [IN_LOOP, BLOCKING].each { |kind| thread[kind.entry]&.scoped = nil }
      fibers = thread.instance_variable_get(PLAIN) or return
      thread.instance_variable_set(PLAIN, nil) if fibers.values.all? { |entry| entry.scoped.nil? || entry.scoped.ended? }
    end

    # @yieldparam scoped [ScopedValue] of a fiber that is resuming the calling one
    # @yieldreturn [ScopedValue, nil]
    # @return [ScopedValue, nil] the first that the block returned
    def find(&block) = find_among(PLAIN, &block) || (find_among(RUN_BY_LOOP, &block) unless Fiber.current_scheduler)

    def find_among(name)
      fibers = Thread.current.instance_variable_get(name) or return
      caller = Fiber.current
      fibers.each_pair do |fiber, entry|
        scoped = entry.scoped
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
