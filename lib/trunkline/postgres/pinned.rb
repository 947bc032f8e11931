# frozen_string_literal: true

require_relative "../trunk/waiting"
require_relative "pinned_flow"
require_relative "pinned_notifications"

module Trunkline
  module Postgres
    # The trunk of a session: taken when the first request comes, used by one fiber or thread at a time, and given back in a
    # state that suits anybody.
    class Pinned # :nodoc:
      include PinnedFlow
      include PinnedNotifications

      # Undoes what a server session can hold, but for its prepared statements.
      RESET = "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; " \
              "SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES"
      # Seconds for setting things in order when the caller's deadline has passed.
      TIDYING = 1.0
      private_constant :RESET

      # @return [String] label for messages
      attr_reader :server

      # SQL that has been asked for and travels with the next request, before it.
      attr_reader :pending

      # @param sessions [Sessions] where trunks come from
      # @param place [String] file and line of who holds it
      def initialize(sessions, place)
        @sessions = sessions
        @place = place
        @server = sessions.server
        @pending = []
        @use = Mutex.new
        @trunk = @last = @flow = nil
        @broken = @stateful = @ended = false
      end

      # @return [Request] what is pending, for where it cannot travel before another one
      def opening = Request.script(@pending.join("; "))

      # Sends the request and waits for its answer.
      def perform(request)
        alone(request) { carry(request) { |trunk| trunk.perform(request) } }
      end

      # Sends the request and does not wait for its answer.
      def dispatch(request)
        alone(request) { carry(request) { |trunk| trunk.dispatch(request) } }
      end

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

      # Nobody is to go on here.
      def break! = @broken = true

      # The server session may hold what others must not find.
      def stateful! = @stateful = true

      # Gives the trunk back; what could not be set in order is closed, also when this is interrupted.
      def release
        clean = @trunk && in_order?
      ensure
        @ended = true
        trunk = @trunk
        @trunk = nil
        @sessions.give_back(trunk, clean) if trunk
      end

      private

      # One at a time, or the one would not know what the other does to its transaction.
      def alone(request)
        Waiting.undisturbed(request.world) do
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
      def carry(request)
        raise occupied(request) if @flow

        begin
          raise Closed.new("the session has ended", sql: sql(request), server: @server) if @ended
          raise stuck(request) if @broken

          before = @last
          @trunk ||= @sessions.take(request.pin, @place)
          opening = hand_over(request)
          taken = yield @trunk
          return if taken && !(before.nil? && lost_unsent?(request))

          take_back(before, opening)
          return request.give_up(GivenUp.new(:deadline, false)) if request.overdue?
          raise stuck(request) unless untouched? && @trunk.loss

          let_go
        end until taken
      end

      def hand_over(request)
        @last = request.pin
        return if @pending.empty?

        opening = @pending
        @pending = []
        request.preamble = opening unless request.script
        opening
      end

      def lost_unsent?(request) = @trunk.loss && request.failure && !request.failure.sent

      # The request was not sent, nor what was to go before it.
      def take_back(before, opening)
        @last = before
        @pending = opening + @pending if opening
      end

      def let_go
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
        return false if broken?
        return true if idle? && !@stateful && !@trunk.codec.altered? && [nil, "I"].include?(status)

        request = Request.script(idle? && status == "I" ? RESET : "ROLLBACK; #{RESET}")
        Deadlines.instead(TIDYING) { perform(request) }
        request.answered? && request.status == "I"
      rescue Error
        false
      end
    end
    private_constant :Pinned
  end
end
