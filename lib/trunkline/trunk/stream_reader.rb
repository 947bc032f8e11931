# frozen_string_literal: true

require_relative "abandonment"
require_relative "attendance"
require_relative "waiting"

module Trunkline
  # Reads and writes on a trunk until a condition holds, for callers that wait for something other than the end of one answer: the next part of an
  # answer, a notification, room for another request, or an empty queue. Nothing is read between two calls, so the server waits once the socket is
  # full. A caller that reads or writes much gives other fibers a turn after each call, even if it never has to wait.
  class StreamReader # :nodoc:
    # @param trunk [Trunk] that steps, flushes and is lost
    # @param state [ConnectionState] the trunk's
    # @param codec [Codec] the trunk's
    # @param wire [Wire] the trunk's
    def initialize(trunk, state, codec, wire)
      @trunk = trunk
      @state = state
      @codec = codec
      @wire = wire
      @settling = false
    end

    # @return [Boolean] whether the owner of the trunk still waits for answers to what others had sent before
    def settling? = @settling

    # Reads until the request is done or the block returns true; or until the request's time is over, or the connection is lost.
    #
    # @param request [Request] in flight here, or one that only represents a caller that waits for notifications
    # @yieldreturn [Boolean] whether enough has arrived
    def follow(request, &content)
      attend_until(request, content) { @trunk.step(request) }
    end

    # The same for a caller that waits for what the server may never send, perhaps beside callers of other event loops. It wakes every second, and
    # shows by that that its event loop runs. If that of the leader does not, another of the callers leads.
    #
    # @param request [Request]
    # @param by [Float, nil] when the caller stops waiting, on the clock of Waiting.now; nil: no limit but the request's deadline
    # @param attendance [#renew] the caller's
    # @yieldreturn [Boolean] whether enough has arrived
    def attend(request, by, attendance = Attendance.new, &content)
      loop do
        attendance.renew
        request.wait_until = [by, Waiting.now + Attendance::LONGEST_SLEEP].compact.min
        follow(request, &content)
        request.wait_until = by
        break if over?(request, content)

        displace_stalled_leader unless @trunk.loss
      end
    end

    # Writes the output until the block returns true, and reads meanwhile: a server whose notices are not read accepts no more data.
    #
    # @param request [Request] in flight here
    # @yieldreturn [Boolean] whether enough is written, or something has arrived that the caller must handle first
    def push(request, &content)
      @trunk.flush
      handling_loss { receive }
      attend_until(request, content) { exchange } unless yield
    end

    # Sends a request although callers of another scheduler may use this trunk, and waits for its answer, which those callers may read.
    #
    # @param request [Request]
    # @param by [Float, nil] as {#attend}
    # @param attendance [#renew] the caller's
    def perform_beside_others(request, by = nil, attendance = Attendance.new)
      return @trunk.lose_inherited if @trunk.inherited?

      Waiting.without_interrupts(request.scheduler) do
        @codec.submit(request) or return request.fail(@trunk.loss || Abandonment::UNSENT[:deadline])
        @trunk.flush
      end
      attend(request, by, attendance) { false }
    end

    # Reads, unless another caller does, until there is room for another request. The time is limited: the request that the server executes may take
    # so long that another trunk, or an answer on another one, is the better choice.
    #
    # @param request [Request] the caller's, not sent yet
    # @param seconds [Float]
    # @yieldreturn [Boolean] whether there is room
    # @return [nil]
    def make_room(request, seconds, &room)
      request.wait_until = Waiting.now + seconds
      Waiting.without_interrupts(request.scheduler) do
        lead_until(request, &room) if @state.enter(request)
      ensure
        @trunk.leave(request)
      end
      nil
    ensure
      request.wait_until = nil
    end

    # Reads until nothing is in flight, or sleeps while another caller reads answers to requests that it sent here before. For the owner of a trunk
    # that was shared before.
    #
    # @param request [Request] the owner's, not sent
    # @return [Boolean] false: the trunk is lost, or the request's time is over
    def settle(request)
      @settling = true
      attend_until(request.pin, -> { @codec.idle? }) { @trunk.step(request) }
      @codec.idle? && @trunk.loss.nil?
    ensure
      @settling = false
    end

    # Reads until the head has changed, unless another caller leads.
    #
    # @param head [Request] that was abandoned
    # @param by [Float] when reading stops, on the clock of Waiting.now
    # @return [Boolean] false: the head has not changed, and calling again would not help
    def await_end_of(head, by)
      waiter = Waiter.new
      waiter.wait_until = by
      return false unless Waiting.now < by && @state.take_lead(waiter)

      @trunk.step(waiter) until !@state.head.equal?(head) || @trunk.loss || waiter.wait_over? || !@state.leads?(waiter)
      @trunk.loss.nil?
    ensure
      next_leader = @state.leave(waiter)
      next_leader.wake if next_leader
    end

    # Reads what has arrived, unless another caller leads: only a leader reads, as another one that sleeps on the socket would not be woken.
    #
    # @param by [Float] when reading stops, on the clock of Waiting.now
    def read_arrived(by = Float::INFINITY)
      waiter = Waiter.new
      @trunk.alive?(by) if @state.take_lead(waiter)
    ensure
      next_leader = @state.leave(waiter)
      next_leader.wake if next_leader
    end

    private

    # Takes the lead from a leader whose event loop has not run for so long. That loses nothing where each caller wakes by itself within a second.
    def displace_stalled_leader = (@state.displace_leader if @state.stalled_for >= Waiting::LONGEST_TURN)

    def attend_until(request, content)
      return @trunk.lose_inherited if @trunk.inherited?

      Waiting.without_interrupts(request.scheduler) do
        lead_or_wait(request, content) { yield } until over?(request, content)
      ensure
        @trunk.leave(request)
      end
    end

    def over?(request, content) = request.done? || !@trunk.loss.nil? || content.call || request.wait_over?

    def lead_or_wait(request, content)
      election = @state.lead(request)
      return Waiting.park(request, @state.sleeps_until(request)) if election == :parked
      return if election == :answered

      @trunk.decode_input # input that an earlier call left in the buffer
      yield until over?(request, content) || !@state.leads?(request)
    end

    def lead_until(request)
      return Waiting.unpark(request) unless @state.lead(request) == :leads

      @trunk.step(request) until yield || @trunk.loss || request.wait_over? || !@state.leads?(request)
    end

    def exchange
      handling_loss do
        @trunk.flush
        @trunk.sleep_until_ready unless @wire.flushed? || receive
      end
    end

    # @return [Boolean] whether something has arrived, or the end of the connection
    def receive
      case @wire.receive
      when :received then @trunk.decode_input
      when :closed then @trunk.closed_by_server
      else return false
      end
      true
    end

    def handling_loss
      yield
    rescue SystemCallError, IOError, ConnectionError => error
      @trunk.lose(error.message)
    end
  end
  private_constant :StreamReader
end
