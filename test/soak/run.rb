# frozen_string_literal: true

require_relative "growth"
require_relative "in_use"
require_relative "load"

module Soak
  # One kind of load for so many seconds, and what was in use meanwhile. A program of its own, for memory belongs to a process:
  #
  #   ruby -Ilib test/soak/run.rb URI MEMCACHED KIND SECONDS
  #
  # It ends with an error when something grows.
  class Run
    LOOKS = 9
    # The part of the time in which everything reaches its size.
    WARM_UP = 0.3
    # Operations from one look at the clock to the next take about as many seconds.
    TURN = 0.05
    private_constant :LOOKS, :WARM_UP, :TURN

    # @param load [Load]
    # @param kind [Symbol]
    # @param seconds [Float]
    def initialize(load, kind, seconds)
      @operate = KINDS.fetch(kind).call(load)
      @seconds = seconds
      @operations = 0
      @turn = 4
      @in_use = InUse.new
    end

    # @return [Growth]
    def call
      @warming = true
      work(@seconds * WARM_UP)
      @warming = false # for what is in use depends on how much is done in a turn
      @in_use.now # which makes objects of its own the first time
      looks = Array.new(LOOKS) do
        work(@seconds * (1 - WARM_UP) / LOOKS)
        [@operations, @in_use.now]
      end
      Growth.new(*looks.transpose)
    end

    private

    def work(seconds)
      start = now
      begin
        before = now
        @operate.call(@turn)
        @operations += @turn
        @turn *= 2 if @warming && now - before < TURN / 2
      end until now - start > seconds
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

if $PROGRAM_NAME == __FILE__
  uri, memcached, kind, seconds = ARGV
  growth = Soak::Run.new(Soak::Load.new(uri, memcached), kind.to_sym, Float(seconds)).call
  puts growth
  $stdout.flush
  exit!(growth.none? ? 0 : 1)
end
