# frozen_string_literal: true

require_relative "../../trunk/reachable_owner"
require_relative "../../trunk/waiting"
require_relative "lease_errors"
require_relative "lease_flow"
require_relative "lease_notifications"
require_relative "lease_preparation"
require_relative "lease_tidying"
require_relative "pooler_check"
require_relative "session_use"

module Trunkline
  module Postgres
    # The trunk of a session: taken when the first request comes, used by one fiber or thread at a time, and given back in a
    # state that suits every caller.
    class SessionLease # :nodoc:
      # @return [String] label for messages
      attr_reader :server

      # @return [Trunk, nil] nil: no request has come yet, or the session has ended
      attr_reader :trunk

      # @return [Array<String>] SQL that is sent with the next request, before it
      attr_reader :pending

      # @return [Request, nil] that it was asked last; nil: nothing was asked of the server yet
      attr_reader :last

      # @param sessions [Sessions] where trunks come from
      # @param responses [ResponseReader]
      # @param location [String] file and line of its holder
      # @param holder [#alive?] the trunk is taken away when it is not
      def initialize(sessions, responses, location, holder)
        @sessions = sessions
        @responses = responses
        @use_of_session = SessionUse.new
        @location = location
        @holder = holder
        @sentinel = GCSentinel.new
        @server = sessions.server
        @pending = []
        @in_use = Flag.new
        @trunk = @codec = @state = @last = @first = @flow = @notifications = @preparation = @parse_context = @pooler_check = @access = nil
        @broken = @ended = false
      end

      # @return [LeaseFlow] of streams and COPY
      def flow = @flow ||= LeaseFlow.new(self)

      # @return [LeaseNotifications] that have come here
      def notifications = @notifications ||= LeaseNotifications.new(self)

      # Has SQL read in another context from what is pending on, once that is sent.
      #
      # @param parse_context [ParseContext, nil]
      def begin_with(parse_context) = @parse_context = parse_context

      # Sends what is pending, where it cannot travel before another request.
      #
      # @return [Request, nil] done; nil: nothing was
      def open
        return if @pending.empty?

        Request.script(@pending.join("; ")).tap { |opening| transmit(opening) }
      end

      # Sends the request and waits for its answer.
      def perform(request)
        prepare(request) unless request.statement&.changes_nothing? && !changed_parse_context?
        transmit(request)
      end

      # A server that is read-only has refused the request, and nothing asked for here has had an effect. Where another connection may take it, the
      # next request takes one, and what went before the first one goes before it.
      #
      # @param request [Request] answered
      # @return [Boolean] whether it is to be sent again
      def begin_elsewhere(request)
        return false unless first?(request) && @sessions.leave_read_only_server
        return false unless @state.expired? # one that was opened since the hosts were looked at leads nowhere else

        check_in_trunk
        take_back(nil, @opening)
        true
      end

      # Sends a request of this library's own, which leaves nothing behind, and waits for its answer.
      def perform_own(request)
        request.changes_parse_context!(true) if changed_parse_context?
        transmit(request)
      end

      # Sends the request and does not wait for its answer.
      def dispatch(request)
        prepare(request)
        exclusively(request) { over_leased_trunk(request) { |trunk| trunk.dispatch(request) } }
      end

      # @return [::Socket, nil] of its connection, where it has one
      def io = @trunk&.io

      # @return [Integer, nil] the server's process for the connection; nil: there is no connection yet
      def server_process = @trunk&.server_process

      # Waits for the answer to a request that was dispatched here.
      def await(request, patience = nil) = @trunk.await(request, patience)

      # Ends a request that was dispatched here.
      def cancel(request, by) = @trunk.cancel(request, by)

      # @return [String, nil] "I", "T" or "E": the state of the transaction after the last request; nil: there is none, or it is not answered yet
      def status = @last&.status

      # @param name [String] of a setting that the server reports
      # @return [String, nil] its value, where there is a connection
      def setting(name) = @codec&.parameters&.fetch(name, nil)

      # @return [Boolean] whether every request has its answer, and the connection is there
      def idle? = @trunk.nil? || (@codec.idle? && @trunk.loss.nil?)

      # @return [Boolean] whether the server has not hung up, as far as a look at an idle connection tells; nothing is sent
      def alive? = @trunk.nil? || !idle? || @trunk.alive?

      # Cancels abandoned requests, and waits for the answers of the others.
      #
      # @return [Boolean] whether every request has its answer now
      def settle
        @trunk.clear(Request.companion.pin, Waiting.now + LeaseTidying::LONGEST) unless idle? || lost?
        idle?
      end

      def lost? = !@trunk&.loss.nil?

      # @return [Boolean] whether the lease takes no more requests
      def broken? = @broken || lost?

      # @return [String] one sentence
      def why_broken = lost? ? "the connection was lost: #{@trunk.loss.reason}" : "a query of it was abandoned before its answer came"

      # Refuses all further requests.
      def mark_broken = @broken = true

      # Notes that the server session may hold state that others must not find: it is undone before others use the connection.
      def stateful! = @use_of_session.stateful!

      # Gives the trunk back; what could not be set in order is closed, also when this is interrupted.
      def release
        clean = @trunk && in_order?
      ensure
        @ended = true
        trunk = @trunk
        @trunk = @codec = @state = nil
        @sessions.check_in(trunk, clean) if trunk
      end

      # @return [Boolean] whether SQL may mean something else here than it does for other callers
      def changed_parse_context? = !@parse_context.nil? || (!@codec.nil? && @codec.changed_parse_context?)

      # @return [Boolean] whether the server session has prepared the statement, as SQL means it there
      def remembers?(statement) = @parse_context ? false : @codec.remembers?(statement)

      # Goes another way to the server from now on; outside of a transaction, nothing was left behind on the connection that there is.
      #
      # @param access [ServerAccess]
      def take_access(access)
        @sessions.check_in(@trunk, in_order?) if @trunk
        @trunk = @codec = @state = @last = nil
        @access = access
      end

      # @return [PoolerCheck] of what it is asked
      def pooler_check = @pooler_check ||= PoolerCheck.new(self, @sessions)
      # @return [ServerAccess] its way to the server
      def access = @access || @sessions.usual

      # Notes that a request asks for the last number of a sequence.
      def note_recalling = @sessions.note_recalling

      # Notes what the request does to the session, and makes its parameters for it: see LeasePreparation.
      def prepare(request) = (@preparation ||= LeasePreparation.new(self, @use_of_session, @responses)).prepare(request)

      # Sends a request that is prepared, or that needs no preparation, and waits for its answer. The last one is kept for its status, and must
      # not keep the caller.
      def transmit(request)
        exclusively(request.adopt) { over_leased_trunk(request) { |trunk| trunk.perform(request) } }
      ensure
        request.forget_caller
      end

      # Runs the block while no other fiber or thread uses the lease: or the one would not know what the other does to its transaction.
      #
      # @raise [SharedStateError] another one does
      def exclusively(request, &)
        Waiting.undisturbed(request.scheduler) { @in_use.hold(&) || raise(LeaseErrors.in_use(request, @server)) }
      end

      # Yields the trunk of the lease, with what is pending ahead of the request. A trunk that is lost before anything was done on it is as
      # good as none: another one will do. To be called within {#exclusively}.
      #
      # @yieldreturn [Boolean] false: the trunk could not take the request
      def over_leased_trunk(request)
        raise LeaseErrors.occupied(request, @server) if @flow&.open?

        begin
          raise stuck(request) if @broken

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
          raise stuck(request) unless @last.nil? && @trunk.loss

          check_in_trunk
        end until taken
      end

      # @param waiter [Request] of a caller that waits for what comes unasked
      # @return [Trunk] of the lease
      # @raise [SharedStateError] a stream or COPY goes over it
      def take_unoccupied(waiter)
        raise LeaseErrors.occupied(waiter, @server) if @flow&.open?

        @trunk || take(waiter)
      end

      # Why the lease takes no request.
      def stuck(request) = LeaseErrors.stuck(self, request)

      private

      # @return [Boolean] whether the request is the only one of the lease, but for the beginning of a transaction
      def first?(request) = @first.equal?(request) && @last.equal?(request)

      def take(request)
        raise LeaseErrors.ended(request, @server) if @ended

        @trunk = @sessions.take(request, @location, @access, ReachableOwner.new(@sentinel, @holder))
        @codec, @state = @trunk.codec, @trunk.state
        @trunk
      end

      # What others have left on the connection may be cancelled by its last caller of those, or by the look before a request is sent.
      def cancelling? = @trunk.loss.nil? && !(@state.canceller || @state.fence).nil?

      # The fence behind a cancel may be answered later than its caller could wait. Until then nothing may be sent, or the cancel might hit it.
      def reopen(request)
        @trunk.clear(Request.companion.pin, request.deadline || (Waiting.now + LeaseTidying::LONGEST)) if cancelling?
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

      # Notes that the request was not sent, nor what was to go before it.
      def take_back(before, opening)
        @last = before
        return unless opening

        @pending = opening + @pending
        @parse_context = @entered
      end

      def in_order?
        return true if !@broken && !@use_of_session.stateful? && idle? && !@codec.altered? && [nil, "I"].include?(status)
        return false if broken? || @use_of_session.for_good?

        LeaseTidying.undone?(self, @use_of_session)
      end

      def check_in_trunk
        @sessions.check_in(@trunk, false)
        @trunk = @codec = @state = nil
      end
    end
    private_constant :SessionLease
  end
end
