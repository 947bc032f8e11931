# frozen_string_literal: true

require_relative "requests"

module Trunkline
  # A trunk without a connection, but with a real connection state and codec; requests are answered at once, or when the test says so.
  class FakeTrunk
    include Requests

    MOST_LOOKS = 100_000
    private_constant :MOST_LOOKS

    attr_accessor :user
    attr_reader :state, :codec, :closed, :performed

    # @param takes [Boolean] whether it takes requests
    def initialize(takes: true)
      @codec = Requests::CODEC.new({}, 1 << 20, nil, "")
      @state = Trunkline.const_get(:ConnectionState).new(@codec)
      @takes = takes
      @performed = []
      @looks = 0
    end

    def alive? = @takes

    # Answers at once.
    def perform(request)
      return false unless dispatch(request)

      finish(codec, codec.in_flight)
      state.leave(request)
      true
    end

    # Submits it without an answer, and leaves its waiter active.
    def dispatch(request)
      return false unless @takes && state.enter(request)

      performed << request
      codec.submit(request)
      true
    end

    def close(reason)
      @takes = false
      @closed = reason
    end

    def leave_unused(request) = state.leave(request)
    def server = "fake"
    def loss = nil
    def abandoned = 0
    def cancels = 0
    def quarantined? = false
    def active = state.active
    def deserted? = active.zero?
    def idle? = deserted? && codec.idle?
    def admits?(scheduler) = state.admits?(scheduler)
    def retire(reason) = close(reason) && nil
    def retire_now = nil
    def read_unattended = nil
    def end_stall = nil
    def reader = self
    def settling? = false

    # Lets another thread run, which may be about to answer.
    def make_room(_request, _seconds)
      raise "nothing is answered here: the caller would look for ever" if (@looks += 1) > MOST_LOOKS

      Thread.pass
    end
    def reserve = state.reserve
    def release = state.release
  end
end
