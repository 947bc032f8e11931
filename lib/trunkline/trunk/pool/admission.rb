# frozen_string_literal: true

module Trunkline
  # Decides what a caller does next that found no trunk at once: take one, open one, make room on one, or wait. The pool's lock is held around each
  # call.
  class Admission # :nodoc:
    # @param roster [Roster] the pool's trunks
    # @param opener [Opener] opens further ones
    # @param queue [WaitQueue] the waiting callers
    def initialize(roster, opener, queue)
      @roster = roster
      @opener = opener
      @queue = queue
    end

    # @param entry [CallerQueue::Entry] of the caller
    # @yield the caller has joined a queue, before other callers are called: the pool updates its hints
    # @return [Array, Symbol, nil] :open, or with a trunk :take, :make_room, :retire, or :wait with the entries of callers that must be woken; nil:
    #   the caller's deadline has passed
    # @raise [Overloaded] the caller has waited for max_wait, or cannot wait
    def decide(entry, &queued)
      old = @roster.retire
      return [:retire, old] if old
      return enqueue(entry, &queued) if @queue.must_join?(entry)

      entry.to_pin? ? decide_to_pin(entry, &queued) : decide_to_share(entry, &queued)
    end

    private

    def decide_to_pin(entry, &queued)
      trunk = @roster.take
      return [:take, trunk] if trunk

      @opener.may_open?(entry) ? open_for(entry) : enqueue(entry, &queued)
    end

    def decide_to_share(entry, &queued)
      return enqueue(entry, &queued) if @queue.waits_for_drained?(entry)
      return [:take, @roster.share_spare] if @roster.spare_to_share?
      return open_for(entry) if @opener.may_open?(entry)

      trunk = @roster.dispatcher.find(entry.request)
      return [:take, trunk] if trunk
      return grow_for(entry) if @opener.may_grow?(entry)

      unread = @roster.dispatcher.unread_for(entry.request)
      unread ? [:make_room, unread] : enqueue(entry, &queued)
    end

    def grow_for(entry) = @roster.any_spare? ? [:take, @roster.share_spare] : open_for(entry)

    def open_for(entry)
      @opener.begin_attempt(entry)
      :open
    end

    def enqueue(entry)
      return unless @queue.join(entry)

      yield # a caller that leaves a trunk from now on calls this one; serve checks the trunks that were left before
      [:wait, @queue.serve]
    end
  end
  private_constant :Admission
end
