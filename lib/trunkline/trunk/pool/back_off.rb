# frozen_string_literal: true

require_relative "../waiting"

module Trunkline
  # When to try to connect again. The pause is a random part of an upper bound that doubles with each failure in a row: clients that have lost the
  # same server do not reconnect at the same moment. The bound stays low after a server refused at once, which costs it little. It is higher after an
  # attempt that took long or found the server full: attempts that time out load the server too. Simulated with 10,000 processes that have lost one
  # server: half of them are back in 4.2 s and all in 7. With pauses of 2 s at most, of 12,000 only one in eight would be back within a minute,
  # because the server would be busy with attempts that time out. The owner's lock is held around each call.
  class BackOff # :nodoc:
    # Upper bound in seconds of the pause after a first failure, if the server refused at once and if it was full; if the attempt took longer, the
    # bound is its duration. FIRST is a bound: with half and double, 10,000 simulated processes are back in the same time (one seed).
    FIRST = 0.1
    FIRST_FULL = 1.0
    # Upper bound in seconds of all pauses, after refusals and otherwise. With half of LONGEST, 10,000 simulated processes are back in 28.8 s, with it in
    # 7.0, and with double in 5.7 (one seed); 1,000, which the server can log in at once, in 1.0, 2.0 and 3.9. LONGEST_SLOW matters where more time
    # out: of 12,000 all are back in 34.7 s, with half of it in 30.8 and with double in 49.1 (one seed). FIRST_FULL is a bound.
    LONGEST = 2.0
    LONGEST_SLOW = 15.0
    # Seconds from which on an attempt counts as slow: less than any timeout, and more than a refusal takes. It is a bound: half and double change
    # nothing there.
    SLOW = 1.0
    # Seconds from the first connection after a loss to further ones that are not needed yet, at random. With 10,000 processes that want four each,
    # half of them have one after 4.2 s, and all after 7.0 (medians of 8 seeds); after 9.3 and 33 s if each opens its four at once. With half of these
    # pauses it is 8.2 and 34 s, and with double 3.3 and 5.3 (one seed).
    FURTHER = 1.0..4.0
    # Seconds between two checks, during a pause, whether another server can be tried at once: a name lookup each, at random, as clients that have lost
    # the same server use the same resolver. It is a bound: a name that is moved is noticed within a second, where it took up to LONGEST_SLOW.
    PROBE_INTERVAL = 0.5..1.0
    private_constant :FIRST, :FIRST_FULL, :LONGEST, :SLOW, :FURTHER

    # @param probes [Boolean] whether such a check is possible
    def initialize(probes: false)
      @probes = probes
      @attempt_at = @further_at = Waiting.now
      @lost = @resume_at = @probe_at = nil
      succeeded
    end

    # An attempt begins, or a check during the pause.
    def begin_attempt
      @attempt_at = Waiting.now
      schedule_probe
    end

    # @return [Boolean] whether the last attempt takes so long that others need not wait for its end: the server may never answer it
    def attempt_overdue? = Waiting.now > @attempt_at + LONGEST_SLOW

    def succeeded
      @further_at = Waiting.now + rand(FURTHER) if doubtful?
      @failures = Hash.new(0) # counted for each upper bound: a slow attempt after many refusals is the first of its kind
      @resume_at = nil
      @lost = false
    end

    # A connection was lost: its server may be unreachable.
    def lost
      @lost = true
    end

    # @return [Boolean] whether a connection was lost, or an attempt has failed, since the last success
    def doubtful? = @lost || failing?

    # @return [Boolean] whether connections may be opened that are not needed yet
    def may_open_further? = Waiting.now >= @further_at

    # @param full [Boolean] the server takes no more connections
    # @param retry_after [Float, nil] seconds after which another attempt makes sense, if known
    def failed(full: false, retry_after: nil)
      schedule_probe
      return @resume_at = Waiting.now + retry_after if retry_after

      first, limit = bounds(full, Waiting.now - @attempt_at)
      pause = [first * (2**@failures[limit]), limit].min
      @resume_at = Waiting.now + (rand * pause)
      @failures[limit] += 1 if pause < limit
    end

    # @return [Boolean] whether the last attempt failed
    def failing? = !@resume_at.nil?

    # @return [Boolean] whether the pause after a failure lasts
    def paused? = !pause_end.nil?

    # @return [Float, nil] on the clock of Waiting.now; nil: there is no pause
    def pause_end
      resume_at = @resume_at
      resume_at if resume_at && Waiting.now < resume_at
    end

    # @return [Boolean] whether it is too early for another attempt, and for a check
    def too_early?
      due = due_at # read once: the pause may end between two readings of the clock
      !due.nil? && Waiting.now < due
    end

    # @return [Float, nil] when the next check or attempt is due, on the clock of Waiting.now; nil: there is no pause
    def due_at
      resume_at = pause_end
      resume_at && [resume_at, *@probe_at].min
    end

    private

    def schedule_probe = (@probe_at = Waiting.now + rand(PROBE_INTERVAL) if @probes)

    # @param took [Float] duration of the attempt in seconds
    # @return [Array(Float, Float)] upper bounds of the pause, after a first failure and after many
    def bounds(full, took)
      return [FIRST_FULL, LONGEST_SLOW] if full

      took < SLOW ? [FIRST, LONGEST] : [took, LONGEST_SLOW]
    end
  end
  private_constant :BackOff
end
