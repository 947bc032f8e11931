# frozen_string_literal: true

require_relative "../../trunk/abandonment"
require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # A streamed answer or a COPY on a leased connection, which is used for nothing else until it ends.
    class LeaseFlow # :nodoc:
      # @param lease [SessionLease] of the connection
      def initialize(lease)
        @lease = lease
        @request = @on_notices = nil
      end

      # @return [Boolean] whether one has begun and has not ended
      def open? = !@request.nil?

      # Sends a request that has a flow, and waits for its first part.
      #
      # @param request [Request]
      # @param on_notices [#call] receives notices, as ErrorFields.each takes them
      # @yieldreturn [Boolean] whether that has arrived; the request may also be done
      def begin(request, on_notices, &content)
        @lease.prepare(request) if request.statement
        @lease.exclusively(request.adopt) do
          @request = nil if @request&.done? # it has failed, and this is another attempt
          @lease.over_leased_trunk(request) do |trunk|
            begin_here(request, on_notices)
            trunk.dispatch(request)
          end
        end
        follow(request, &content)
      end

      # Turns a request that was dispatched on the lease, of whose answer nothing was read, into the current flow.
      #
      # @param request [Request] that has a flow
      # @param on_notices [#call] as in {#begin}
      def begin_here(request, on_notices)
        @request = request
        @on_notices = on_notices
      end

      # Waits for the next part of the answer.
      #
      # @yieldreturn [Boolean] whether enough has arrived; the request may also be done
      def follow(request)
        until request.done? || yield
          @lease.exclusively(request.adopt) { @lease.trunk.reader.follow(request) { yield || request.notices } }
          conclude_wait(request)
          break if request.wait_over?
        end
      end

      # @return [Array] the rows that have arrived
      def portion(request) = @lease.trunk.codec.portion(request)

      # Sends data of a COPY, and reads meanwhile.
      #
      # @param most [Integer] bytes that may remain unwritten
      # @yieldparam codec [Codec] to append data
      def feed(request, most)
        trunk = @lease.trunk
        codec = trunk.codec
        appended = false
        @lease.exclusively(request) { appended = yield codec }
        return unless appended

        loop do
          @lease.exclusively(request.adopt) { trunk.reader.push(request) { codec.output.size <= most || request.notices } }
          conclude_wait(request)
          break if request.done? || request.wait_over? || codec.output.size <= most
        end
      end

      # Ends the flow: if the server is not finished, it is cancelled. If that fails within the time limit, the lease is broken.
      #
      # @param request [Request, nil] the flow's; for another one, nothing is done
      def end(request)
        return unless open? && @request.equal?(request)

        abandon(request, :cancel) unless request.done?
        @request = nil
      end

      private

      # Passes notices on as they arrive, as their number is not limited. Requests in flight do not refer to the fiber any more, in case that it is
      # dropped.
      def conclude_wait(request)
        request.forget_caller
        abandon(request, :deadline) if request.deadline_passed? && !request.done?
        notices = @lease.trunk.codec.flow_notices(request)
        @on_notices.call(notices) if notices
        Waiting.give_turn(Fiber.current_scheduler)
      end

      # Rows that arrive after this are dropped.
      def abandon(request, why)
        request.fail(Abandonment::SENT[why])
        portion(request)
        @lease.mark_broken unless @lease.settle
      end
    end
    private_constant :LeaseFlow
  end
end
