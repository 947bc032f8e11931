# frozen_string_literal: true

module Trunkline
  module Postgres
    # Writes of several callers that go in one unit. One of the callers leads: he sends it and waits on its trunk, and hands the lead on
    # when he has to go. The others sleep until they have their answers.
    class CommitGroup # :nodoc:
      # More would hold each other's locks for long.
      MOST = 100
      INTERRUPTED = Loss.new("who was to send it was interrupted in the middle", true, false).freeze
      private_constant :MOST, :INTERRUPTED

      def initialize
        @members = []
        @waiting = []
        @leader = @trunk = @batch = nil
        @departed = @landed = false
      end

      # @return [Boolean] whether there is room for one more
      def join(request)
        return false if @departed || @members.size == MOST

        @waiting.push(request)
        @members.push(request)
        true
      end

      # Is it on its way, as far as others can tell?
      def departed? = @departed

      # Nobody joins it any more.
      def depart = @departed = true

      # One at a time leads.
      #
      # @return [Boolean] whether it is the caller
      def lead?(request)
        return false unless @leader.nil? || @leader.equal?(request)

        @leader = request
        true
      end

      # Sends it, unless somebody has, and waits until it is answered, or the leader's time is over.
      #
      # @param pool [Pool]
      # @return [Boolean] whether it is answered
      def travel(pool, request)
        send_off(pool) unless @trunk
        @trunk.await(@batch.adopt, request.deadline)
        @batch.abandon(@batch.failure) if @batch.failure
        @batch.done?
      end

      # The caller goes, with or without his answer.
      #
      # @return [Boolean] whether nobody is left
      def leave(request)
        @waiting.delete(request)
        @members.delete(request) unless @batch
        resign if @leader.equal?(request)
        @waiting.empty?
      end

      # Wakes the leader, who waits for his turn.
      def call = @leader && @leader.rouse

      # @return [Boolean] whether it has arrived just now, or nobody is left who would wait for that
      def land = !@landed && (@landed = true)

      # @return [Boolean] whether the caller must wait for somebody else
      def led? = !@leader.nil?

      private

      # They sleep where their own deadlines end; what carries them has none.
      def send_off(pool)
        @batch = Request.batch(@members.dup, true)
        @trunk = pool.dispatch(@batch.limit_as(@batch.fence))
      ensure
        not_sent unless @trunk
      end

      def not_sent
        submitted = !@members.first.prepared.nil?
        @batch.abandon(INTERRUPTED) if submitted
        @batch = nil unless submitted
      end

      def resign
        @leader = nil
        @waiting.each(&:rouse)
      end
    end
    private_constant :CommitGroup
  end
end
