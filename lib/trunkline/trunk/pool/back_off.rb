# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # When to try again to connect. After each failure in a row the pause may be twice as long, and is a random part of that: clients that have
  # lost the same server do not come back in step. A server that refuses at once is asked again soon: that costs it little. One that took its
  # time, or is full, is left alone for longer: attempts that time out are work for it all the same. Simulated with 10,000 processes that
  # have lost one server: half of them are back in 3.6 s and all in 18. With pauses of 2 s at most, all would be back in 7 s, but of
  # 12,000 only one in eight within a minute: the server is busy with attempts that time out. Its owner's lock is held around each call.
  class BackOff # :nodoc:
    # Seconds that the pause lasts at most after a first failure, where the server refused at once and where it was full; where it took longer,
    # as long as the attempt took.
    FIRST = 0.1
    FIRST_FULL = 1.0
    # Seconds that it lasts at most, after a refusal and else.
    LONGEST = 2.0
    LONGEST_SLOW = 15.0
    # Seconds from which on an attempt was slow.
    SLOW = 1.0
    # Seconds from the first connection after a loss to further ones that are not needed yet, at a random moment. With 10,000 processes that want four
    # each, half of them have one after 3.6 s (median of 16 seeds), and after 8.9 s where each takes its four at once.
    FURTHER = 1.0..4.0
    # Seconds from one look to the next, during a pause, whether another server may be tried at once. A look costs a name's look-up.
    LOOK = 0.5..1.0
    private_constant :FIRST, :FIRST_FULL, :LONGEST, :LONGEST_SLOW, :SLOW, :FURTHER, :LOOK

    # @param looks [Boolean] whether it can be found out during a pause that another server may be tried at once
    def initialize(looks: false)
      @looks = looks
      @attempt_at = @further_at = Waiting.now
      @lost = @resume_at = @look_at = nil
      succeeded
    end

    # One more attempt begins, or a look during the pause.
    def begin_attempt
      @attempt_at = Waiting.now
      look_later
    end

    # @return [Boolean] whether the last attempt takes so long that others need not wait for its end: the server may never answer it
    def lagging? = Waiting.now > @attempt_at + LONGEST_SLOW

    def succeeded
      @further_at = Waiting.now + rand(FURTHER) if doubtful?
      @failures = Hash.new(0) # of each longest pause: a slow attempt after many refusals is the first of its kind
      @resume_at = nil
      @lost = false
    end

    # A connection was lost: its server may be away.
    def lost
      @lost = true
    end

    # @return [Boolean] whether a connection was lost, or an attempt has failed, since one succeeded
    def doubtful? = @lost || failing?

    # @return [Boolean] whether connections may be opened that are not needed yet
    def further? = Waiting.now >= @further_at

    # @param full [Boolean] the server takes no more connections
    # @param retry_after [Float, nil] seconds after which it is worth trying again, where that is known
    def failed(full: false, retry_after: nil)
      look_later
      return @resume_at = Waiting.now + retry_after if retry_after

      first, limit = bounds(full, Waiting.now - @attempt_at)
      pause = [first * (2**@failures[limit]), limit].min
      @resume_at = Waiting.now + (rand * pause)
      @failures[limit] += 1 if pause < limit
    end

    # @return [Boolean] whether the last attempt failed
    def failing? = !@resume_at.nil?

    # @return [Boolean] whether it is too early for another attempt
    def paused? = !pause_end.nil?

    # @return [Float, nil] on the clock of Waiting.now; nil: there is no pause now
    def pause_end
      resume_at = @resume_at
      resume_at if resume_at && Waiting.now < resume_at
    end

    # @return [Boolean] whether it is too early for another attempt, and for a look
    def quiet?
      due = due_at # once: the pause may end between two looks at the clock
      !due.nil? && Waiting.now < due
    end

    # @return [Float, nil] when there is something to do in the pause, or after it, on the clock of Waiting.now; nil: there is no pause now
    def due_at
      resume_at = pause_end
      resume_at && [resume_at, *@look_at].min
    end

    private

    def look_later = (@look_at = Waiting.now + rand(LOOK) if @looks)

    # @param took [Float] seconds that the attempt has taken
    # @return [Array(Float, Float)] what the pause lasts at most after a first failure, and after many
    def bounds(full, took)
      return [FIRST_FULL, LONGEST_SLOW] if full

      took < SLOW ? [FIRST, LONGEST] : [took, LONGEST_SLOW]
    end
  end
  private_constant :BackOff
end
