# frozen_string_literal: true

require_relative "simulated_traffic"

module Trunkline
  # Simulates the choice among replicas, with a real dispatcher for each: the hosts, the callers and the clock are simulated, so each run has the same
  # result.
  class SimulatedReplicas
    include Requests

    CHOICE = Trunkline.const_get(:HostChoice)
    MOMENT = 0.02 # seconds
    private_constant :CHOICE, :MOMENT

    # @return [Array<Integer>] reads that each host has answered
    attr_reader :reads

    # @param seconds [Array<Array(Float, Float)>] of a processor, and of waiting, that a read takes on each host
    # @param chance [Boolean] whether reads take these seconds on average, exponentially distributed
    # @param options [Hash] of {SimulatedTraffic#initialize}, for each host
    def initialize(seconds, seed: 1, chance: false, **options)
      @timetable = SimulatedTraffic.timetable
      @seconds = seconds
      @random = Random.new(seed)
      @chance = chance
      @hosts = seconds.each_index.map { |number| SimulatedTraffic.new(timetable: @timetable, seed: seed + number, **options) }
      @choice = CHOICE.new(@hosts.map(&:dispatcher))
      @statement = STATEMENT.new("SELECT 1", 0)
      @statement.services(seconds.size)
      forget
    end

    # Callers that each send another read when they have their answer.
    def callers(count) = count.times { |number| @timetable.after(number * 0.0001) { ask { ask_on } } }

    # Reads come at random times, so many a second.
    def comes(rate)
      @timetable.after(-Math.log(1 - @random.rand) / rate) do
        ask
        comes(rate)
      end
    end

    # Repeatedly, the client reads no answers of any host for a while, as a busy one does.
    def stops(every, seconds) = @hosts.each { |host| host.stops(every, seconds) }

    # Sets how long a read takes on the host from now on.
    def becomes(number, *seconds) = @seconds[number] = seconds

    # Lets so much time pass. Clears earlier measurements.
    def run(seconds)
      forget
      @timetable.run(seconds)
      self
    end

    # Lets time pass until so many reads are answered. Clears earlier measurements.
    def answer(count)
      forget
      @timetable.run(MOMENT) while reads.sum < count
      self
    end

    # @return [Float] reads a second
    def rate = reads.sum / (@timetable.now - @since)

    def close = @hosts.each(&:close)

    # @return [Float] the part of the reads that the host has answered
    def share(number) = reads[number].fdiv(reads.sum)

    # @param part [Float] of the reads
    # @return [Float] seconds that all but the others took at most
    def quantile(part) = @took.sort.then { |sorted| sorted[(sorted.size * part).to_i] }

    private

    def forget
      @since = @timetable.now
      @took = []
      @reads = [0] * @hosts.size
    end

    def ask_on = ask { ask_on }

    def ask(&and_then)
      number = @choice.choose(@statement.services(@hosts.size), nil)
      request = REQUEST.query(@statement, []).serve(number)
      came = @timetable.now
      @hosts[number].ask(SimulatedTraffic::Query.new(:read, request, @statement, work(number), came, -> { through(number, came, &and_then) }))
    end

    def work(number) = @chance ? @seconds[number].map { |seconds| -Math.log(1 - @random.rand) * seconds } : @seconds[number]

    def through(number, came)
      @choice.left(number, @choice.period)
      @reads[number] += 1
      @took << (@timetable.now - came)
      yield if block_given?
    end
  end
end
