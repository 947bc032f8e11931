# frozen_string_literal: true

require_relative "../request/future"

module Trunkline
  module Postgres
    # The answer to what a {VirtualSession} has sent and not waited for, as libpq hands it out: one result after the other. The session has a
    # connection of its own until the last one was taken.
    class SentAnswers # :nodoc:
      # Seconds that it takes at most to find out whether something has come.
      LOOK = 0.001
      # Rows that are taken at a time, of those that are handed out one by one.
      PORTION = 100
      private_constant :LOOK, :PORTION

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

      # Has the rows come as a result each, in bounded memory. To be asked for before any was taken.
      #
      # @param hear [#call] takes notices that come meanwhile
      # @raise [ArgumentError] several statements were sent, or the answer is being taken
      def stream(hear)
        raise ArgumentError, "rows come one by one of one statement alone" if @request.script
        raise ArgumentError, "the answer is being taken" if @results || @request.done?

        @lease.flow.begin_here(@request.flow(PORTION), hear)
        @streaming = true
      end

      # @return [Boolean]
      def streaming? = @streaming

      # Takes in what has come, and hardly waits.
      def look
        return if over? || here?
        return @future.wait(LOOK) unless @streaming

        looked = !@lease.io.wait_readable(0)
        @lease.flow.follow(@request) { @request.portion? || looked.tap { looked = true } }
      end

      # @return [Boolean] whether the next result is here, so that {#next} does not wait
      def here? = over? || @rows.any? || @request.done? || (@streaming && @request.portion?)

      # Waits for the next result.
      #
      # @param timeout [Numeric, nil] seconds; nil: for ever
      # @return [Boolean] whether it has come
      def wait(timeout = nil)
        return true if here?
        return @future.wait(timeout) unless @streaming

        @lease.io.wait_readable(timeout) ? look : nil
        here?
      end

      # @return [Result, Error, nil] nil: there are no more
      def next
        return if over?
        return next_row if @streaming

        @results ||= @future.value
        @results.shift || conclude
      end

      # Asks the server to cancel it.
      def cancel = over? || @request.done? || @future.cancel

      # No caller takes the rest.
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
        @session.end_held
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

      # What came before an error counts too.
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
