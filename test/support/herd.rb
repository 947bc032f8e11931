# frozen_string_literal: true

module Trunkline
  # A simulation of processes that have lost the same server and reconnect, each with the pauses of its own BackOff. The server is away, and refuses
  # them at once; then it accepts their logins, which share its processors equally, in the order in which they came, as each costs the same. An
  # abandoned login is still work for the server.
  class Herd
    STEP = 0.001 # seconds
    AWAY = 10.0  # seconds
    WORK = 0.005 # seconds of a processor for a login
    WANTED = 4   # connections per process
    LONGEST = 240.0
    LOOK_AGAIN = 0.1 # seconds after which a process checks whether it may open another connection
    Login = Struct.new(:member, :ends_at_work, :gives_up_at, :given_up)
    private_constant :STEP, :AWAY, :WORK, :WANTED, :LONGEST, :LOOK_AGAIN, :Login

    # A process.
    class Member
      attr_reader :back_off, :open

      def initialize
        @back_off = BackOff.new.tap(&:lost)
        @open = 0
      end

      def connected
        @open += 1
        @back_off.succeeded
      end

      def satisfied? = @open == WANTED
      def may_try? = @open.zero? || @back_off.may_open_further?
    end

    # @return [Integer] logins that were abandoned
    attr_reader :given_up

    # @param size [Integer] processes
    # @param cores [Numeric] the server's
    # @param timeout [Float] seconds that a login may take
    # @param seed [Integer] of all that is random
    def initialize(size, cores:, timeout:, seed: 1)
      @seed = seed
      @cores = cores
      @timeout = timeout
      @now = 0.0
      @work_done = 0.0 # for each login in progress
      @logins = []
      @given_up = 0
      @due = Hash.new { |due, step| due[step] = [] }
      @size = size
    end

    # Runs until each process has a connection.
    #
    # @return [Array<Float>] seconds after the server's return when each had its first one, in order
    def run
      first = []
      before = srand(@seed)
      Waiting.stub(:now, -> { @now }) do
        @size.times { schedule(Member.new, rand * 0.1) }
        step { |member| first << (@now - AWAY) if member.open == 1 } until first.size == @size || @now > LONGEST
      end
      first
    ensure
      srand(before)
    end

    private

    def step(&connected)
      @now += STEP
      @due.delete((@now / STEP).round)&.each { |member| try(member) unless member.satisfied? }
      @work_done += [STEP, @cores * STEP / @logins.size].min unless @logins.empty?
      give_up
      finish(&connected)
    end

    def schedule(member, time) = @due[[(time / STEP).ceil, (@now / STEP).round + 1].max] << member

    def try(member)
      return schedule(member, @now + LOOK_AGAIN) unless member.may_try?

      member.back_off.begin_attempt
      @now < AWAY ? failed(member) : @logins << Login.new(member, @work_done + WORK, @now + @timeout, false)
    end

    def failed(member)
      member.back_off.failed
      schedule(member, member.back_off.pause_end || @now)
    end

    def give_up
      @logins.each do |login|
        break if login.gives_up_at > @now
        next if login.given_up

        login.given_up = true
        @given_up += 1
        failed(login.member)
      end
    end

    def finish
      while @logins.any? && @logins.first.ends_at_work <= @work_done
        login = @logins.shift
        next if login.given_up

        login.member.connected
        schedule(login.member, @now)
        yield login.member
      end
    end
  end
end
