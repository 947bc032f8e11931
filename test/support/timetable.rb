# frozen_string_literal: true

module Trunkline
  # Scheduled events on the stopped clock, which advances to the next one.
  class Timetable
    # @return [Float] seconds since the beginning
    attr_reader :now

    def initialize
      @now = 0.0
      @events = []
    end

    # @param seconds [Float] from now on
    def after(seconds, &event)
      due = now + seconds
      @events.insert(@events.bsearch_index { |other, _| other > due } || @events.size, [due, event])
    end

    # Lets so much time pass.
    def run(seconds)
      ending = now + seconds
      while @events.any? && @events.first.first <= ending
        due, event = @events.shift
        advance_to(due)
        event.call
      end
      advance_to(ending)
    end

    private

    def advance_to(time)
      Clock.pass(time - now)
      @now = time
    end
  end
end
