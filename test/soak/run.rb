# frozen_string_literal: true

require "tempfile"
require_relative "growth"
require_relative "in_use"
require_relative "load"

module Soak
  # One kind of load for so many seconds, and what was in use meanwhile.
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
    # @param in_use [InUse]
    def initialize(load, kind, seconds, in_use)
      @operate = KINDS.fetch(kind).call(load)
      @seconds = seconds
      @operations = 0
      @turn = 4
      @in_use = in_use
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

  # Runs kinds of load one after the other, each in a child process, as memory belongs to a process. What all of them need is loaded before.
  class Children
    # Seconds beyond its duration after which a kind counts as hung.
    PATIENCE = 120
    private_constant :PATIENCE

    # @param servers [Array<String>] as {Load#initialize} takes them
    # @param seconds [Float] for each kind
    def initialize(servers, seconds)
      @servers = servers
      @seconds = seconds
      @in_use = InUse.new
    end

    # @param kind [String]
    # @return [Array(Boolean, String)] whether nothing grows, and what was seen
    def run(kind)
      Tempfile.create do |output|
        child = Process.detach(fork { work(kind, output) })
        hangs = child.join(@seconds + PATIENCE).nil?
        Process.kill(:KILL, child.pid) if hangs
        [child.value.success? || false, "#{File.read(output)}#{"It hangs." if hangs}"]
      end
    end

    private

    def work(kind, output)
      [$stdout, $stderr].each { |stream| stream.reopen(output) }
      growth = Run.new(Load.new(*@servers), kind.to_sym, @seconds, @in_use).call
      puts growth
      none = growth.none?
    rescue Exception => error # rubocop:disable Lint/RescueException
      puts error.full_message(highlight: false)
    ensure
      $stdout.flush
      exit!(none || false)
    end
  end
end

# ruby -Ilib test/soak/run.rb URI MEMCACHED SECONDS KIND... writes what Children#run returns for each, for Marshal.
if $PROGRAM_NAME == __FILE__
  uri, memcached, seconds, *kinds = ARGV
  children = Soak::Children.new([uri, memcached], Float(seconds))
  Marshal.dump(kinds.map { |kind| children.run(kind) }, $stdout.binmode)
end
