# frozen_string_literal: true

require_relative "../../trunk/reachable_owner"
require_relative "../../trunk/waiting"
require_relative "lease_errors"
require_relative "lease_flow"
require_relative "lease_notifications"
require_relative "lease_preparation"
require_relative "lease_cleanup"
require_relative "pooler_check"
require_relative "session_use"

module Trunkline
  module Postgres
    # The trunk of a session: taken for the first request, used by one fiber or thread at a time, and returned in the state that any caller expects.
    class SessionLease # :nodoc:
      # Where and since when a trunk is held, and of which pool.
      Reservation = Struct.new(:location, :since, :pool)

      attr_reader :server # [String] label for messages
      attr_reader :trunk # [Trunk, nil] nil: no request was sent yet, or the session has ended
      attr_reader :pending # [Array<String>] SQL that is sent with the next request, before it
      attr_reader :last # [Request, nil] the last one that was sent; nil: none

      # @param sessions [Sessions] provide trunks
      # @param responses [ResponseReader]
      # @param location [String] file and line of its holder
      # @param holder [#alive?] the trunk is taken away when it is not alive any more
      def initialize(sessions, responses, location, holder)
        @sessions = sessions
        @responses = responses
        @use_of_session = SessionUse.new
        @reservation = Reservation.new(location)
        @owner = ReachableOwner.new(@sentinel = GCSentinel.new, holder)
        @server = sessions.server
        @pending = []
        @in_use = Flag.new
        @trunk = @codec = @state = @last = @first = @flow = @notifications = @preparation = @parse_context = @pooler_check = @access = nil
        @broken = @ended = @handed_out = false
      end

      # Makes a lease that has ended as a new one, for a caller that begins one transaction after the other.
      #
      # @return [SessionLease, nil] itself; nil: it has left something, or other objects may refer to it
      def begin_again
        return if @broken || @handed_out || @flow || @notifications || @access || @parse_context || !@pending.empty? || @use_of_session.stateful?

        @last = @first = @opening = nil
        @ended = false
        self
      end

      def flow = @flow ||= LeaseFlow.new(self) # [LeaseFlow] of streams and COPY
      def notifications = @notifications ||= LeaseNotifications.new(self) # [LeaseNotifications] that have arrived here

      # Sets the parse context that applies once the pending SQL is sent.
      #
      # @param parse_context [ParseContext, nil]
      def begin_with(parse_context) = @parse_context = parse_context

      # Sends pending SQL that cannot be sent together with another request.
      #
      # @return [Request, nil] done; nil: there was none
      def open
        return if @pending.empty?

        Request.script(@pending.join("; ")).tap { |opening| transmit(opening) }
      end

      # Sends the request and waits for its answer.
      def perform(request)
        prepare(request) unless request.statement&.changes_nothing? && !changed_parse_context?
        transmit(request)
      end

      # A read-only server has refused the request, and no request of this session has had an effect. If another connection may accept it, the next
      # request takes one, and what preceded the first request precedes it again.
      #
      # @param request [Request] answered
      # @return [Boolean] whether it must be sent again
      def begin_elsewhere(request)
        return false unless first?(request) && @sessions.leave_read_only_server
        return false unless @state.expired? # one that was opened since the hosts were searched leads to the same server

        check_in_trunk
        take_back(nil, @opening)
        true
      end

      # Sends a request of the library itself, which leaves no session state, and waits for its answer.
      def perform_own(request)
        request.changes_parse_context!(true) if changed_parse_context?
        transmit(request)
      end

      # Sends the request without waiting for its answer, which is read from this lease.
      def dispatch(request)
        @handed_out = true
        prepare(request)
        exclusively(request) { over_leased_trunk(request) { |trunk| trunk.dispatch(request) } }
      end

      def io = @trunk&.io # [::Socket, nil] of its connection, where it has one
      def server_process = @trunk&.server_process # [Integer, nil] ID of the server's backend; nil: there is no connection yet

      # Waits for the answer to a request that was dispatched here.
      def await(request, wait_until = nil) = @trunk.await(request, wait_until)
      def end_stall = @trunk&.end_stall # see {Trunk#end_stall}

      # Ends a request that was dispatched here.
      def cancel(request, by) = @trunk.cancel(request, by)

      # @return [String, nil] "I", "T" or "E": the transaction status after the last request; nil: there is none, or it is not answered yet
      def status = @last&.status

      # @param name [String] of a setting that the server reports
      # @return [String, nil] its value; nil: there is no connection
      def setting(name) = @codec&.parameters&.fetch(name, nil)

      # @return [Boolean] whether every request is answered, and the connection is not lost
      def idle? = @trunk.nil? || (@codec.idle? && @trunk.loss.nil?)

      # @return [Boolean] whether the server has not closed the connection, as far as a check of an idle one shows; nothing is sent
      def alive? = @trunk.nil? || !idle? || @trunk.alive?

      # Cancels abandoned requests, and waits for the answers to the others.
      #
      # @return [Boolean] whether every request is answered now
      def settle
        @trunk.clear(Request.companion.pin, Waiting.now + LeaseCleanup::LONGEST) unless idle? || lost?
        idle?
      end

      def lost? = !@trunk&.loss.nil?

      # @return [Boolean] whether the lease takes no more requests
      def broken? = @broken || !(@trunk.nil? || @trunk.loss.nil?)

      # @return [String] one sentence
      def why_broken = lost? ? "the connection was lost: #{@trunk.loss.reason}" : "one of its queries was abandoned before it was answered"

      # Refuses all further requests.
      def mark_broken = @broken = true

      # Marks the server session as possibly having state that others must not find: it is reset before others use the connection.
      def stateful! = @use_of_session.stateful!

      # Returns the trunk; a connection that could not be reset is closed, also if this is interrupted.
      def release
        clean = @trunk && in_order?
      ensure
        @ended = true
        trunk = @trunk
        @trunk = @codec = @state = nil
        @sessions.check_in(trunk, clean) if trunk
      end

      # @return [Boolean] whether SQL may be parsed differently here than for other callers
      def changed_parse_context? = !@parse_context.nil? || (!@codec.nil? && @codec.changed_parse_context?)

      # @return [Boolean] whether the server session has prepared the statement in its current parse context
      def remembers?(statement) = @parse_context ? false : @codec.remembers?(statement)

      # Changes the access to the server; outside of a transaction, the present connection has no session state.
      #
      # @param access [ServerAccess]
      def take_access(access)
        @sessions.check_in(@trunk, in_order?) if @trunk
        @trunk = @codec = @state = @last = nil
        @access = access
      end

      # @return [PoolerCheck] of its statements
      def pooler_check = @pooler_check ||= PoolerCheck.new(self, @sessions)
      # @return [ServerAccess] to the server
      def access = @access || @sessions.usual

      # A request reads the last value of a sequence.
      def note_last_value_read = @sessions.note_last_value_read

      # Notes the request's effect on the session, and converts its parameters: see LeasePreparation.
      def prepare(request) = (@preparation ||= LeasePreparation.new(self, @use_of_session, @responses)).prepare(request)

      # Sends a request that is prepared, or that needs no preparation, and waits for its answer. The last request is kept for its status, and must
      # not refer to the caller.
      def transmit(request)
        @in_use.hold_uninterrupted(request.adopt.scheduler) { over_leased_trunk(request) { |trunk| trunk.perform(request) } } || raise(LeaseErrors.in_use(request, @server))
      ensure
        request.forget_caller
      end

      # Runs the block while no other fiber or thread uses the lease: otherwise neither would know how the other changes the transaction.
      #
      # @raise [SharedStateError] another one uses it
      def exclusively(request, &)
        @in_use.hold_uninterrupted(request.scheduler, &) || raise(LeaseErrors.in_use(request, @server))
      end

      # Yields the trunk of the lease, with pending SQL ahead of the request. A trunk that is lost before anything was done on it is replaced by
      # another. To be called within {#exclusively}.
      #
      # @yieldreturn [Boolean] false: the trunk could not take the request
      def over_leased_trunk(request)
        raise LeaseErrors.streaming(request, @server) if @flow&.open?

        begin
          raise unusable(request) if @broken

          before = @last
          request.pin
          cancelled = @trunk && @state.shut?
          @trunk ? (reopen(request) if cancelled) : take(request)
          @last = request
          opening = hand_over(request) unless @pending.empty?
          @first, @opening = request, opening.to_a if before.nil?
          taken = yield @trunk
          return if taken && !(before.nil? && @trunk.loss && lost_unsent?(request))

          take_back(before, opening)
          return request.fail(Abandonment::UNSENT[:deadline]) if request.deadline_passed?
          next if cancelling? && !cancelled
          raise unusable(request) unless @last.nil? && @trunk.loss

          check_in_trunk
        end until taken
      end

      # @param waiter [Request] that only represents a caller that waits for notifications
      # @return [Trunk] of the lease
      # @raise [SharedStateError] a stream or COPY uses it
      def take_unoccupied(waiter)
        raise LeaseErrors.streaming(waiter, @server) if @flow&.open?

        @trunk || take(waiter)
      end

      # The error for a request that the lease cannot take.
      def unusable(request) = LeaseErrors.unusable(self, request)

      private

      # @return [Boolean] whether the request is the only one of the lease, except for the beginning of a transaction
      def first?(request) = @first.equal?(request) && @last.equal?(request)

      def take(request)
        raise LeaseErrors.ended(request, @server) if @ended

        @trunk = @sessions.take(request, @reservation, @access, @owner.dup) # each use of a trunk has another user
        @codec, @state = @trunk.codec, @trunk.state
        @trunk
      end

      # A cancel of what others have left on the connection may be under way, by their last caller, or by the check before a request is sent.
      def cancelling? = @trunk.loss.nil? && !(@state.canceller || @state.fence).nil?

      # The fence behind a cancel may be answered after its caller's deadline. Until then nothing may be sent, as the cancel might hit it.
      def reopen(request)
        @trunk.clear(Request.companion.pin, request.deadline || (Waiting.now + LeaseCleanup::LONGEST)) if cancelling?
      end

      def hand_over(request)
        opening = @pending
        @pending = []
        request.preamble = opening unless request.script
        @parse_context ? enter_parse_context : @entered = nil
        opening
      end

      def lost_unsent?(request) = request.failure && !request.failure.sent

      def enter_parse_context
        @codec.enter_parse_context(@parse_context.number, @parse_context.plans)
        @entered = @parse_context
        @parse_context = nil
      end

      # Notes that neither the request nor what should precede it was sent.
      def take_back(before, opening)
        @last = before
        return unless opening

        @pending = opening + @pending
        @parse_context = @entered
      end

      def in_order?
        return true if !@broken && !@use_of_session.stateful? && idle? && !@codec.altered? && ((now = status).nil? || now == "I")
        return false if broken? || @use_of_session.needs_close?

        LeaseCleanup.reset?(self, @use_of_session)
      end

      def check_in_trunk
        @sessions.check_in(@trunk, false)
        @trunk = @codec = @state = nil
      end
    end
    private_constant :SessionLease
  end
end
