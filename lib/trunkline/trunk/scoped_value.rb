# frozen_string_literal: true

require_relative "resuming_fibers"

module Trunkline
  # A value that one fiber holds for one owner: a session of a client, or a connection of a Sequel database. It is visible to the fiber that holds it
  # and to fibers that are created within it meanwhile, as Ruby copies a fiber's storage to those. Ruby 3.1 has no such storage: there it is visible
  # to the fibers that its fiber resumes, see {ResumingFibers}. It is never visible to another thread.
  #
  # All owners share one key in the fiber storage: a key for each would be a Symbol that is never collected, and a slot in every thread.
  class ScopedValue # :nodoc:
    NAME = :trunkline_scoped_value
    # Libraries backport fiber storage to Ruby 3.1, but cannot copy it to every fiber.
    INHERITED = RUBY_VERSION >= "3.2"
    private_constant :NAME, :INHERITED

    class << self
      # @param owner [Object] compared by identity
      # @param value [Object, nil] compared by ==; nil: any
      # @return [ScopedValue, nil] the calling fiber's
      def find(owner, value = nil)
        innermost&.of(owner, value) || (ResumingFibers.find { |scoped| scoped.of(owner, value) } unless INHERITED)
      end

      # @yieldparam owner [Object]
      # @return [Boolean] whether the calling fiber holds anything of an owner for which the block is true
      def any?(&block)
        !(innermost&.first(&block) || (ResumingFibers.find { |scoped| scoped.first(&block) } unless INHERITED)).nil?
      end

      # @return [ScopedValue, nil] the latest that the calling fiber has begun or inherited
      def innermost = INHERITED ? Fiber[NAME] : Thread.current[NAME]

      # @param scoped [ScopedValue, nil]
      def innermost=(scoped)
        return Fiber[NAME] = scoped if INHERITED

        Thread.current[NAME] = scoped
        scoped ? ResumingFibers.note(scoped, scoped.kind.in_loop) : ResumingFibers.forget
      end
    end

    # @return [Object, nil] nil: it has ended
    attr_reader :owner, :value

    # How Ruby 3.1 finds it from other fibers: see {ResumingFibers.kind}.
    attr_reader :kind

    # @param owner [Object]
    # @param value [Object]
    # @param alone [Boolean] whether it is visible to no other fiber
    def initialize(owner, value, alone: false)
      @owner = owner
      @value = value
      @thread = Thread.current
      @fiber_id = Fiber.current.object_id if alone
      @outer = nil
      @kind = ResumingFibers.kind unless INHERITED
    end

    # The calling fiber holds it from now on.
    def begin
      @outer = self.class.innermost&.pruned
      self.class.innermost = self
    end

    # No fiber holds it any more. Fibers that inherited it keep this object until they end, but nothing that it referred to.
    def end
      @owner = @value = nil
      latest = self.class.innermost
      self.class.innermost = latest.pruned if latest&.ended?
    end

    def ended? = @owner.nil?

    # @return [ScopedValue, nil] this one or an outer one, of this owner
    def of(owner, value)
      first { |held_of, held| held_of.equal?(owner) && (value.nil? || held == value) }
    end

    # @yieldparam owner [Object]
    # @yieldparam value [Object]
    # @return [ScopedValue, nil] this one or an outer one that the calling fiber may use and for which the block is true
    def first
      scoped = self
      scoped = scoped.outer until scoped.nil? || (!scoped.ended? && scoped.callers? && yield(scoped.owner, scoped.value))
      scoped
    end

    # @return [ScopedValue, nil] this one, or the next outer one that has not ended; ended ones behind it are removed
    def pruned
      @outer = @outer&.pruned
      @owner.nil? ? @outer : self
    end

    # @return [Boolean] whether the calling fiber may use it. A thread also inherits the storage of the fiber that starts it.
    def callers? = @thread.equal?(Thread.current) && (@fiber_id.nil? || @fiber_id == Fiber.current.object_id)

    protected

    attr_reader :outer
  end
  private_constant :ScopedValue
end
