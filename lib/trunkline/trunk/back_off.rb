# frozen_string_literal: true

require_relative "waiting"

module Trunkline
  # When to try again to connect. After each failure in a row the pause may be twice as long, and is a random part of that:
  # clients that have lost the same server do not come back in step. Its owner's lock is held around each call.
  class BackOff # :nodoc:
    # Seconds.
    FIRST = 0.1
    LONGEST = 2.0
    private_constant :FIRST, :LONGEST

    def initialize
      succeeded
    end

    # One more attempt begins.
    def begin_attempt
      @attempt_at = Waiting.now
    end

    # Does the last attempt take so long that others need not wait for its end? The server may never answer it.
    def lagging? = Waiting.now > @attempt_at + LONGEST

    def succeeded
      @failures = 0
      @resume_at = nil
    end

    def failed
      @resume_at = Waiting.now + (rand * [FIRST * (2**@failures), LONGEST].min)
      @failures += 1 if FIRST * (2**@failures) < LONGEST
    end

    # Did the last attempt fail?
    def failing? = !@resume_at.nil?

    # Is it too early for another attempt?
    def paused? = failing? && Waiting.now < @resume_at

    # @return [Float, nil] on the clock of Waiting.now; nil: there is no pause now
    def pause_end = (@resume_at if paused?)
  end
  private_constant :BackOff
end
