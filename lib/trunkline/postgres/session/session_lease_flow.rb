# frozen_string_literal: true

require_relative "../../trunk/given_up"

module Trunkline
  module Postgres
    # How a session's trunk carries an answer that is taken in portions, and a COPY: from its beginning to its end it carries
    # nothing else.
    module SessionLeaseFlow # :nodoc:
      # Sends a request that has a flow, and waits for what comes first.
      #
      # @param hear [#call] takes the notices that come, as ErrorFields.each takes them
      # @yieldreturn [Boolean] whether it has come; the request may also be done
      def begin_flow(request, hear, &content)
        prepare(request) if request.statement
        alone(request.adopt) do
          @flow = nil if @flow&.done? # it has failed, and this is another try
          over_leased_trunk(request) do |trunk|
            @flow = request
            @hear = hear
            trunk.dispatch(request)
          end
        end
        follow(request, &content)
      end

      # What was dispatched here, and of whose answer nothing was read, is followed from now on.
      #
      # @param request [Request] that has a flow
      # @param hear [#call] as of {#begin_flow}
      def follow_from_here(request, hear)
        @flow = request
        @hear = hear
      end

      # Waits for more of the answer.
      #
      # @yieldreturn [Boolean] whether enough has come; the request may also be done
      def follow(request)
        until request.done? || yield
          alone(request.adopt) { @trunk.reader.follow(request) { yield || request.notices } }
          conclude_wait(request)
          break if request.patience_over?
        end
      end

      # @return [Array] the rows that have come
      def portion(request) = @trunk.codec.portion(request)

      # Sends data of a COPY, and reads what comes meanwhile.
      #
      # @param most [Integer] bytes that may be left to write
      # @yieldparam codec [Codec] appends it
      def feed(request, most)
        codec = @trunk.codec
        return unless alone(request) { yield codec }

        loop do
          alone(request.adopt) { @trunk.reader.push(request) { codec.output.size <= most || request.notices } }
          conclude_wait(request)
          break if request.done? || request.patience_over? || codec.output.size <= most
        end
      end

      # Ends the flow: of what is not at its end, the server is asked to end it. When that does not work in time, no caller goes on
      # here.
      #
      # @param request [Request, nil] the flow's; of another one, nothing is left to end
      def end_flow(request)
        return unless @flow && @flow.equal?(request)

        abandon(request, :cancel) unless request.done?
        @flow = nil
      end

      private

      # Notices are handed on as they come: there may be any number.
      def conclude_wait(request)
        given_up(request)
        notices = @trunk.codec.flow_notices(request)
        @hear.call(notices) if notices
      ensure
        request.forget_caller
      end

      # The rows that still come are dropped.
      def abandon(request, why)
        request.give_up(GivenUp.new(why, true).freeze)
        portion(request)
        mark_broken unless settle
      end

      def given_up(request)
        abandon(request, :deadline) if request.deadline_passed? && !request.done?
      end

      def occupied(request)
        SharedStateError.new("the session is in the middle of a stream or COPY: wait for its end, or ask elsewhere", sql: sql(request), server: @server)
      end
    end
    private_constant :SessionLeaseFlow
  end
end
