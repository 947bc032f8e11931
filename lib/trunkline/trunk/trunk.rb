# frozen_string_literal: true

require_relative "bounds"
require_relative "cancelling"
require_relative "encrypted_wire"
require_relative "flowing"
require_relative "loss"
require_relative "waiting"
require_relative "wire"

module Trunkline
  # One connection that many callers share. It has no fiber or thread of its own: of the callers that wait, one leads and
  # reads for all until its own answer is there; the others sleep. Then the lead goes to another.
  #
  # Whoever submits leaves its bytes in the output; who writes them, and when:
  #
  # * nobody leads, or the pipe is empty: the submitter, at once;
  # * the leader is awake, or on its way: the leader, before it waits;
  # * the leader sleeps: the first submitter, after giving the others a turn to submit too.
  #
  # Every change of state is one call of Crew, Request or the codec, so nothing here needs a lock.
  class Trunk # :nodoc:
    include Bounds
    include Cancelling
    include Flowing

    # Bytes of output that are written without waiting for more.
    WRITE_AT = 16 * 1024
    private_constant :WRITE_AT

    attr_reader :codec, :crew, :server, :loss

    # @param io [Socket, OpenSSL::SSL::SSLSocket] connected and non-blocking
    # @param codec [Object] submit, receive, fail, close, input, output, idle?
    # @param server [String] label for messages
    # @param pool [Object] told when the trunk is free or lost: crowded?, freed, lost(trunk)
    # @param canceller [#call, nil] gets a time on the clock of Waiting.now; asks the server, by another connection, to cancel
    #   what it does for this one, and returns when it has; nil: there is no way to ask
    def initialize(io, codec, server:, pool:, canceller: nil)
      @wire = (io.is_a?(OpenSSL::SSL::SSLSocket) ? EncryptedWire : Wire).new(io, codec.input, codec.output)
      @codec = codec
      @server = server
      @pool = pool
      @canceller = canceller
      @crew = Crew.new(codec, io.to_io.fileno)
      @woken = []
      @asleep = @turning = @answerless = @retiring = false
      @loss = @fence = nil
    end

    def idle? = @crew.aboard.zero? && @codec.idle? && !@crew.shut?
    def admits?(world) = @crew.admits?(world)
    def reserve = @crew.reserve
    def release = @crew.release
    def inherited? = @crew.inherited?
    def aboard = @crew.aboard

    # Sends the request and waits for its answer.
    #
    # @return [Boolean] false: this trunk could not take it, and the request is as it was
    def perform(request)
      return carry(request) if request.world

      Thread.handle_interrupt(Waiting::WHERE_IT_SLEEPS) { carry(request) }
    end

    # Sends the request and does not wait for its answer.
    #
    # @return [Boolean] false: this trunk could not take it, and the request is as it was
    def dispatch(request)
      Waiting.undisturbed(request.world) do
        place = @crew.enter(request)
        place ? send_off(request, place) : false
      end
    end

    # Waits for the answer to a request that was sent here before.
    #
    # @param patience [Float, nil] on the clock of Waiting.now; the request may not be done when it has passed
    def await(request, patience = nil)
      return disown if inherited?

      request.patience = patience
      Waiting.undisturbed(request.world) do
        begin
          attend(request)
        ensure
          leave(request)
        end
        expire(request) if request.overdue?
      end
    end

    # A look at an idle connection: what came unasked is taken in, and whether the server has hung up is known before
    # anything is written.
    #
    # @return [Boolean] false: it is lost
    def alive?
      take_in while (received = @wire.receive)
      lose(farewell) if received.nil? || @codec.farewell
      @loss.nil?
    rescue SystemCallError, IOError, ConnectionError => error
      lose(error.message)
      false
    end

    # Ends the connection. Requests in flight are done, with a Loss.
    #
    # @param reason [String] one sentence
    def close(reason)
      return disown if inherited?

      if @codec.idle?
        @codec.close
        flush
      end
      lose(reason, closed: true)
    end

    # Ends the connection of a server that is of no use any more. Requests in flight are done, with a Loss.
    #
    # @param reason [String] one sentence
    def give_up(reason) = lose(reason)

    # In a child of the process that opened it: the session is the parent's, and is left alone.
    def disown = lose("this connection belongs to the parent process", closed: true)

    private

    def carry(request)
      place = @crew.enter(request) or return false
      begin
        taken = submit(request, place)
        answered = taken && attend(request)
      ensure
        let_go(request) if answered.nil?
        leave(request)
      end
      expire(request) if taken && !answered
      taken
    end

    def send_off(request, place)
      return false unless submit(request, place)

      flush
      write_out(request)
      true
    ensure
      leave(request)
    end

    def submit(request, place)
      return false if place == :first && !alive?

      bytes = @codec.submit(request) or return false
      if @asleep && bytes <= WRITE_AT && request.world
        flush_after_a_turn(request.world) unless @turning
      elsif place == :first || !@crew.led? || bytes > WRITE_AT || !request.world
        flush
        @answerless = place == :first
      end
      write_out(request) if @asleep && !@turning && !@wire.flushed?
      true
    end

    def flush_after_a_turn(world)
      @turning = true
      Waiting.give_turn(world)
    ensure
      @turning = false
      flush
    end

    # @return [Boolean] whether the answer is there; false: its time is over
    def attend(request)
      until (leads = @crew.lead(request)).nil?
        return true if leads == true ? drive(request) : Waiting.park(request, leads || nil)
        return false if request.late?
      end
      true
    end

    # Leads until the answer is there, or its time is over.
    #
    # @return [Boolean] whether it is there
    def drive(request)
      begin
        step(request)
      end until request.done? || request.late?
      request.done?
    end

    # What a leader does over and over: flush, read, wake those who have their answers, or whose time is over; sleep when
    # there is nothing to read.
    def step(request)
      @answerless ? sleep_until_ready : flush
      received = @wire.receive
      if received
        Waiting.give_turn(request.world) if take_in && !request.done?
      elsif received.nil?
        lose(farewell)
      else
        sleep_until_ready
      end
      @crew.rise(@woken)
      wake_all unless @woken.empty?
    rescue SystemCallError, IOError, ConnectionError => error
      lose(error.message)
    end

    # Takes in what was read, and wakes those whose answers are complete. Whatever goes wrong within the codec, the bytes
    # behind it cannot be trusted any more.
    #
    # @return [Boolean] whether anybody was woken
    def take_in
      quarantine("a statement has left state behind on the connection, which others share") unless @codec.receive(@woken)
      !@woken.empty?
    rescue StandardError => error
      lose(error.message)
      true
    ensure
      wake_all unless @woken.empty?
      @pool.freed if @pool.crowded? && @crew.room?
      lift_fence if @fence&.done?
    end

    def wake_all
      while (request = @woken.shift)
        request.wake
      end
    end

    # Also before the first look when the only request in flight was written just now: there can be no answer yet, and
    # meanwhile others may send theirs along.
    def sleep_until_ready
      @asleep = true
      @answerless = false
      @wire.wait(@crew.rest)
    ensure
      @asleep = false
    end

    def flush
      @wire.flush
    rescue SystemCallError, ConnectionError => error
      lose(error.message)
    end

    # Stays until the output is written: beside a leader, who reads, or else as the leader.
    def write_out(request)
      until @wire.flushed? || @loss || @wire.writing? || request.late?
        if @crew.led?
          @wire.wait_to_write(request.deadline)
        elsif @crew.lead(request) == true
          step(request) until @wire.flushed? || @loss || request.late?
        end
      end
    rescue SystemCallError, IOError, ConnectionError => error
      lose(error.message)
    end

    # Whoever goes, for whatever reason, goes through here: the lead finds an heir, and nothing is left unwritten.
    def leave(request)
      heir = @crew.leave(request)
      if heir
        heir.wake
      elsif heir == false && (@loss || @fence || @retiring || !@wire.flushed?)
        depart
      end
      @pool.freed if @pool.crowded? && @crew.aboard.zero?
    end

    # Nobody leads after this one, and something is left to do.
    def depart
      return aboard.zero? && @wire.close if @loss

      flush
      give_place if @fence
      retire_now if @retiring && aboard.zero?
    end

    # Everybody in flight is told. The leader may be asleep on the descriptor: shutting it down wakes him, and the last one
    # aboard closes it.
    def lose(reason, closed: false)
      return if @loss

      @loss = Loss.new(reason, true, closed).freeze
      unsent = Loss.new(reason, false, closed).freeze
      @codec.fail(@woken) { |sent| sent ? @loss : unsent }
      @pool.lost(self)
      aboard.zero? || inherited? ? @wire.close : @wire.shut_down
    ensure
      wake_all
    end

    def farewell = @codec.farewell_message || "the server closed the connection"
  end
  private_constant :Trunk
end
