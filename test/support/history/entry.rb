# frozen_string_literal: true

class History
  # One thing that a caller does with the client.
  class Entry
    # How often the server must have its tokens in the end: :once, :never, or at most once (:perhaps).
    FATES = { once: [1], never: [0], perhaps: [0, 1] }.freeze

    # Errors that a caller may get when connections and servers fail.
    EXPLICABLE = [Trunkline::NotSent, Trunkline::Indeterminate, Trunkline::ConnectionError, Trunkline::Deadline,
                  Trunkline::AdminShutdown, Trunkline::CannotConnectNow, Trunkline::CrashShutdown].freeze
    private_constant :FATES, :EXPLICABLE

    attr_reader :tokens
    # @return [Symbol] :once, :never or :perhaps
    attr_accessor :fate
    # Its caller leaves without an answer.
    def leave_open = @open = true

    def initialize(history, kind, member, tokens)
      @history = history
      @kind = kind
      @member = member
      @tokens = tokens
      @fate = :perhaps
      @events = []
      @open = false
      note("begun")
    end

    def token = @tokens.first

    def note(text)
      @events << [Process.clock_gettime(Process::CLOCK_MONOTONIC), text]
    end

    # The answer was right: entries that may be there are there.
    def answered
      @history.count_answer
      @fate = :once if @fate == :perhaps && !@open
      note("answered, #{@fate}")
    end

    # Compares an answer with the right one.
    def expect(right, answer)
      @history.violated(self, "got #{answer.inspect[0, 200]} instead of #{right.inspect[0, 200]}") unless answer == right
    end

    # Records an error.
    def refused(error)
      @fate = :never if !error.sent? || error.is_a?(Trunkline::ServerError)
      note("#{error.class}: #{error.message}, #{@fate}")
      unexplained(error) unless explicable?(error)
    end

    def unexplained(error)
      @history.violated(self, "nothing explains #{error.full_message(highlight: false)}")
    end

    def interrupted(error)
      note("interrupted by #{error.class}, #{@fate}")
    end

    # Notes a violation unless the server has each token as often as the entry's fate allows.
    #
    # @param counts [Array<Integer>] of the tokens
    def verify(counts)
      @history.violated(self, "is there in part: #{counts}") if counts.uniq.size > 1
      wrong = counts.find { |count| !FATES.fetch(@fate).include?(count) } or return
      @history.violated(self, "is there #{wrong} times, and should be #{@fate}")
    end

    def to_s
      start = @events.first.first
      ["#{@kind} of caller #{@member}, tokens #{@tokens.join(" ")}",
       *@events.map { |time, text| format("%+10.6f %s", time - start, text) }].join("\n  ")
    end

    private

    def explicable?(error) = EXPLICABLE.any? { |type| error.is_a?(type) }
  end
end
