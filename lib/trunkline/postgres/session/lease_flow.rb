# frozen_string_literal: true

require_relative "../../trunk/abandonment"
require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # How a leased connection carries an answer that is taken in portions, and a COPY: from its beginning to its end it carries
    # nothing else.
    class LeaseFlow # :nodoc:
      # @param lease [SessionLease] whose connection it goes over
      def initialize(lease)
        @lease = lease
        @request = @hear = nil
      end

      # @return [Boolean] whether one has begun and was not ended
      def open? = !@request.nil?

      # Sends a request that has a flow, and waits for what comes first.
      #
      # @param request [Request]
      # @param hear [#call] takes the notices that come, as ErrorFields.each takes them
      # @yieldreturn [Boolean] whether it has come; the request may also be done
      def begin(request, hear, &content)
        @lease.prepare(request) if request.statement
        @lease.exclusively(request.adopt) do
          @request = nil if @request&.done? # it has failed, and this is another try
          @lease.over_leased_trunk(request) do |trunk|
            begin_here(request, hear)
            trunk.dispatch(request)
          end
        end
        follow(request, &content)
      end

      # What was dispatched on the lease, and of whose answer nothing was read, is followed from now on.
      #
      # @param request [Request] that has a flow
      # @param hear [#call] as of {#begin}
      def begin_here(request, hear)
        @request = request
        @hear = hear
      end

      # Waits for more of the answer.
      #
      # @yieldreturn [Boolean] whether enough has come; the request may also be done
      def follow(request)
        until request.done? || yield
          @lease.exclusively(request.adopt) { @lease.trunk.reader.follow(request) { yield || request.notices } }
          conclude_wait(request)
          break if request.patience_over?
        end
      end

      # @return [Array] the rows that have come
      def portion(request) = @lease.trunk.codec.portion(request)

      # Sends data of a COPY, and reads what comes meanwhile.
      #
      # @param most [Integer] bytes that may be left to write
      # @yieldparam codec [Codec] appends it
      def feed(request, most)
        trunk = @lease.trunk
        codec = trunk.codec
        appended = false
        @lease.exclusively(request) { appended = yield codec }
        return unless appended

        loop do
          @lease.exclusively(request.adopt) { trunk.reader.push(request) { codec.output.size <= most || request.notices } }
          conclude_wait(request)
          break if request.done? || request.patience_over? || codec.output.size <= most
        end
      end

      # Ends the flow: the server is asked to cancel what is not at its end. When that does not work in time, the lease is broken.
      #
      # @param request [Request, nil] the flow's; of another one, nothing is left to end
      def end(request)
        return unless open? && @request.equal?(request)

        abandon(request, :cancel) unless request.done?
        @request = nil
      end

      private

      # Notices are handed on as they come: there may be any number. A fiber that is dropped from now on is not referred to by what is in flight.
      def conclude_wait(request)
        request.forget_caller
        abandon(request, :deadline) if request.deadline_passed? && !request.done?
        notices = @lease.trunk.codec.flow_notices(request)
        @hear.call(notices) if notices
        Waiting.give_turn(Fiber.current_scheduler)
      end

      # The rows that still come are dropped.
      def abandon(request, why)
        request.fail(Abandonment::SENT[why])
        portion(request)
        @lease.mark_broken unless @lease.settle
      end
    end
    private_constant :LeaseFlow
  end
end
