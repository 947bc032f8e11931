# frozen_string_literal: true

require_relative "../../trunk/reachable_owner"
require_relative "../../trunk/waiting"
require_relative "session_lease_flow"
require_relative "session_lease_notifications"
require_relative "../parameters"
require_relative "session_use"
require_relative "../statements/value_formats"

module Trunkline
  module Postgres
    # The trunk of a session: taken when the first request comes, used by one fiber or thread at a time, and given back in a
    # state that suits every caller.
    class SessionLease # :nodoc:
      include SessionLeaseFlow
      include SessionLeaseNotifications

      # Seconds for setting things in order when the caller's deadline has passed.
      TIDYING = 1.0

      # @return [String] label for messages
      attr_reader :server

      # SQL that has been asked for and travels with the next request, before it.
      attr_reader :pending

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
        @use = Mutex.new
        @trunk = @last = @flow = @first = nil
        @broken = @ended = false
        @meaning = nil
      end

      # SQL means that from what is pending on, unless nothing of it is sent.
      #
      # @param meaning [Meaning, nil]
      def begin_with(meaning) = @meaning = meaning

      # Sends what is pending, where it cannot travel before another request.
      #
      # @return [Request, nil] done; nil: nothing was
      def open
        return if @pending.empty?

        Request.script(@pending.join("; ")).tap { |opening| transmit(opening) }
      end

      # Sends the request and waits for its answer.
      def perform(request)
        prepare(request)
        transmit(request)
      end

      # @param request [Request] answered
      # @return [Boolean] whether it is all that was asked for here, but for the beginning of a transaction that may write
      def first?(request) = @first.equal?(request) && @last.equal?(request) && @opening.none? { |sql| sql.include?("READ ONLY") }

      # What was asked for has had no effect. The next request takes another connection, and what went before the first one goes before it.
      #
      # @return [true]
      def begin_anew
        give_back_trunk
        take_back(nil, @opening)
        true
      end

      # Sends a request of this library's own, which leaves nothing behind, and waits for its answer.
      def perform_own(request)
        request.changes_meaning!(true) if changed_meaning?
        transmit(request)
      end

      # Sends the request and does not wait for its answer.
      def dispatch(request)
        prepare(request)
        alone(request) { over_leased_trunk(request) { |trunk| trunk.dispatch(request) } }
      end

      # @return [::Socket, nil] of its connection, where it has one
      def io = @trunk&.io

      # Waits for the answer to a request that was dispatched here.
      def await(request, patience = nil) = @trunk.await(request, patience)

      # Ends a request that was dispatched here.
      def cancel(request, by) = @trunk.cancel(request, by)

      # @return [String, nil] "I", "T" or "E": the state of the transaction after the last request; nil while that is not
      #   answered, or when there was none
      def status = @last&.status

      # @param name [String] of a setting that the server reports
      # @return [String, nil] its value, where there is a connection
      def setting(name) = @trunk&.codec&.parameters&.fetch(name, nil)

      # Has nothing been asked of the server yet?
      def untouched? = @last.nil?

      # @return [Boolean] whether every request has its answer, and the connection is there
      def idle? = @trunk.nil? || (@trunk.codec.idle? && @trunk.loss.nil?)

      # Has the server not hung up? A connection on which nothing is under way is looked at, and nothing is sent.
      def alive? = @trunk.nil? || !idle? || @trunk.alive?

      # Has the server end what was given up, and waits for the other answers.
      #
      # @return [Boolean] whether every request has its answer now
      def settle
        @trunk.clear(Request.companion.pin, Waiting.now + TIDYING) unless idle? || lost?
        idle?
      end

      def lost? = !@trunk&.loss.nil?

      # Can nothing go on here, whatever comes?
      def broken? = @broken || lost?

      # @return [String] one sentence
      def why_broken = lost? ? "the connection was lost: #{@trunk.loss.reason}" : "a query of it was given up before its answer came"

      # No caller is to go on here.
      def mark_broken = @broken = true

      # The server session may hold what others must not find.
      def stateful! = @use_of_session.stateful!

      # Gives the trunk back; what could not be set in order is closed, also when this is interrupted.
      def release
        clean = @trunk && in_order?
      ensure
        @ended = true
        trunk = @trunk
        @trunk = nil
        @sessions.give_back(trunk, clean) if trunk
      end

      # May SQL mean something else here than it does for other callers?
      def changed_meaning? = !@meaning.nil? || (!@trunk.nil? && @trunk.codec.changed_meaning?)

      private

      # The last one is kept for its status, and must not keep the caller.
      def transmit(request)
        alone(request.adopt) { over_leased_trunk(request) { |trunk| trunk.perform(request) } }
      ensure
        request.forget_caller
      end

      # What it does to the session is noted, and its parameters are made for the types that this session has for them.
      def prepare(request)
        changes = false
        (request.members || [request]).each do |member|
          raise SharingErrors.types_unknown(member.statement, @server) if changes && member.given

          check_formats(member)
          adapt(member)
          changes |= @use_of_session.note(member, changed_meaning?)
        end
      end

      # Before anything was sent on a connection, it is as it was opened.
      def check_formats(request)
        return if request.statement&.shareable? && !changed_meaning?

        formats = ValueFormats.new(@trunk ? @trunk.codec.given_parameters : {})
        formats.check(request, @server)
        formats.check_session(request, @trunk.codec.parameters, @server) if @trunk
      end

      # What the client remembers of a statement may not be so here.
      def adapt(request)
        return unless request.given && changed_meaning? && !remembered?(request.statement)

        description = Request.describe(request.statement).limit_as(request)
        transmit(description)
        raise @responses.error(description) unless description.answered?

        types = description.parameter_types
        request.convert_to(types, Parameters.convert(request.given, @responses.parameter_types(types), @responses.array_nulls))
      end

      def remembered?(statement) = @meaning ? false : @trunk.codec.remembers?(statement)

      # One at a time, or the one would not know what the other does to its transaction.
      def alone(request)
        Waiting.undisturbed(request.scheduler) do
          unless @use.try_lock
            raise SharedStateError.new("another fiber or thread uses the session at this moment", sql: sql(request), server: @server)
          end

          begin
            yield
          ensure
            @use.unlock
          end
        end
      end

      # A trunk that is lost before anything was done on it is as good as none: another one will do.
      def over_leased_trunk(request)
        raise occupied(request) if @flow

        begin
          raise Closed.new("the session has ended", sql: sql(request), server: @server) if @ended
          raise stuck(request) if @broken

          before = @last
          take(request.pin)
          opening = hand_over(request)
          @first, @opening = request, opening.to_a if before.nil?
          taken = yield @trunk
          return if taken && !(before.nil? && lost_unsent?(request))

          take_back(before, opening)
          return request.give_up(GivenUp.new(:deadline, false)) if request.deadline_passed?
          raise stuck(request) unless untouched? && @trunk.loss

          give_back_trunk
        end until taken
      end

      def take(request)
        @trunk ||= @sessions.take(request, @location).tap { |trunk| trunk.user = ReachableOwner.new(@sentinel, @holder) }
      end

      def hand_over(request)
        @last = request.pin
        return if @pending.empty?

        opening = @pending
        @pending = []
        request.preamble = opening unless request.script
        enter_meaning
        opening
      end

      def lost_unsent?(request) = @trunk.loss && request.failure && !request.failure.sent

      def enter_meaning
        @trunk.codec.enter_meaning(@meaning.number, @meaning.plans) if @meaning
        @entered = @meaning
        @meaning = nil
      end

      # The request was not sent, nor what was to go before it.
      def take_back(before, opening)
        @last = before
        return unless opening

        @pending = opening + @pending
        @meaning = @entered
      end

      def give_back_trunk
        @sessions.give_back(@trunk, false)
        @trunk = nil
      end

      def stuck(request)
        if broken? || @trunk.inherited?
          reason = @trunk&.inherited? ? "its connection belongs to the parent process" : why_broken
          return ConnectionError.new("the session cannot go on: #{reason}", sql: sql(request), server: @server, retriable: false)
        end
        SharedStateError.new("another event loop uses the session at this moment", sql: sql(request), server: @server)
      end

      def sql(request) = request.statement&.sql || request.script

      def in_order?
        return false if broken? || @use_of_session.for_good?
        return true if idle? && !@use_of_session.stateful? && !@trunk.codec.altered? && [nil, "I"].include?(status)

        Deadlines.instead(TIDYING) { @use_of_session.undoing(!(idle? && status == "I")).all? { |sql| undone?(sql) } }
      rescue Error
        false
      end

      def undone?(sql)
        @trunk.codec.enter_meaning(0, 0)
        request = Request.script(sql)
        transmit(request)
        request.answered? && request.status == "I"
      end
    end
    private_constant :SessionLease
  end
end
