# frozen_string_literal: true

require_relative "../request/future"

module Trunkline
  module Postgres
    # The answer to a query that a {VirtualSession} has sent without waiting, as libpq returns it: one result after the other. The session has a
    # reserved connection until the last one was taken.
    class SentAnswers # :nodoc:
      # Seconds that reading what has arrived waits for more: a bound, not tuned.
      READ_LIMIT = 0.001
      # Rows that are read at a time, if they are returned one by one: a bound on memory, not tuned.
      PORTION = 100
      private_constant :READ_LIMIT, :PORTION

      # @param session [VirtualSession]
      # @param form [AnswerForm]
      # @param request [Request]
      def initialize(session, form, request)
        @session = session
        @form = form
        @request = request
        @lease = session.send_held(request)
        @future = Future.new(@lease, request) { |done| collected(done) }
        @rows = []
        @streaming = @over = false
      end

      # Returns each row as a result, in bounded memory. To be called before any result was taken.
      #
      # @param on_notices [#call] receives notices that arrive meanwhile
      # @raise [ArgumentError] several statements were sent, or a result was already taken
      def stream(on_notices)
        raise ArgumentError, "rows come one by one of one statement alone" if @request.script
        raise ArgumentError, "the answer is being taken" if @results || @request.done?

        @lease.flow.begin_here(@request.flow(PORTION), on_notices)
        @streaming = true
      end

      # @return [Boolean]
      def streaming? = @streaming

      # Reads what has arrived, almost without waiting.
      def read_arrived
        return if over? || ready?
        return @future.wait(READ_LIMIT) unless @streaming

        looked = !@lease.io.wait_readable(0)
        @lease.flow.follow(@request) { @request.portion? || looked.tap { looked = true } }
      end

      # @return [Boolean] whether the next result has arrived, so that {#next} does not wait
      def ready? = over? || @rows.any? || @request.done? || (@streaming && @request.portion?)

      # Waits for the next result.
      #
      # @param timeout [Numeric, nil] seconds; nil: no limit
      # @return [Boolean] whether it has arrived
      def wait(timeout = nil)
        return true if ready?
        return @future.wait(timeout) unless @streaming

        @lease.io.wait_readable(timeout) ? read_arrived : nil
        ready?
      end

      # @return [Result, Error, nil] nil: there are no more
      def next
        return if over?
        return next_row if @streaming

        @results ||= @future.value
        @results.shift || conclude
      end

      # Sends a cancel request for it.
      def cancel = over? || @request.done? || @future.cancel

      # The rest is not read.
      def abandon
        return if over?

        @lease.flow.end(@request)
        conclude
      end

      # @return [Boolean] whether the last result was taken
      def over? = @over

      private

      def conclude
        @over = true
        @session.release_held
        nil
      end

      def next_row
        fetch_rows if @rows.empty?
        return @rows.shift unless @rows.empty?

        @streaming = false
        @lease.flow.end(@request)
        @results = collected(@request)
        self.next
      end

      def fetch_rows
        @lease.flow.follow(@request) { @request.portion? } unless @request.portion?
        @rows = @form.rows_of(@request, @lease.flow.portion(@request)) if @request.portion?
      end

      # Results before an error are returned too.
      def collected(request)
        answered = @session.retry_until_answered(request)
        whole(answered)
      rescue Error => error
        [*(@form.results(request) if request.script), error]
      end

      def whole(request)
        return [@form.result(request)] unless request.script

        results = @form.results(request)
        results.empty? ? [@form.nothing("")] : results
      end
    end
    private_constant :SentAnswers
  end
end
