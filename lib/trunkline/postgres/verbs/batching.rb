# frozen_string_literal: true

require_relative "batch"

module Trunkline
  module Postgres
    # Several statements in one round trip.
    module Batching
      # Sends several statements together, without waiting for the answer to one before the next. Each is executed whatever happens to the others, in
      # a transaction of its own; or with `atomic: true` all of them in one. In a transaction or a session they are part of that.
      #
      #   created, count = db.batch do |b|
      #     b.query("INSERT INTO users VALUES ($1, $2) RETURNING id", 7, "Edith")
      #     b.query("SELECT count(*) FROM orders")
      #   end
      #
      # @param atomic [Boolean] whether all are one transaction
      # @param deadline [Numeric, nil] seconds from now within which all answers must come
      # @param idempotent [Boolean] whether they may run twice; as for {Querying#query}
      # @param settings [Hash, nil]
      # @param role [String, nil] as for {Querying#query}
      # @yieldparam batch [Batch]
      # @return [Array<Result>] in the order of the statements
      # @raise [Error] the first error of any of them, as of {Querying#query}; {Error#batch} has the results of the others
      # @raise [ArgumentError] there are more statements, or more bytes of parameters, than a connection may have in flight
      def batch(atomic: false, deadline: @deadline, idempotent: @idempotent, settings: nil, role: nil, &block)
        raise ArgumentError, "batch takes a block: batch { |batch| batch.query(sql) }" unless block
        return once(settings, role).batch(atomic: atomic, deadline: deadline, idempotent: idempotent, &block) if settings || nil != role

        batch = Batch.new(@statements)
        yield batch
        calls = atomic ? check_atomic(batch.calls) : batch.calls
        Deadlines.hold(deadline && Deadlines.in(deadline)) { calls.empty? ? [] : @executor.around_batch(calls) { conclude_batch(calls, atomic, idempotent) } }
      end

      private

      def check_atomic(calls)
        alone = calls.find { |statement,| statement.classification == :alone }
        raise SharingErrors.not_in_atomic_batch(alone.first, @executor.responses.server) if alone

        local = calls.find { |statement,| statement.shareable? && !statement.changes_nothing? }
        raise SharingErrors.settings_in_batch(local.first, @executor.responses.server) if local && !@executor.holds_connection?

        calls
      end

      def conclude_batch(calls, atomic, idempotent)
        @executor.responses.limits.check_batch(calls.map(&:last))
        requests = calls.map { |statement, parameters| @executor.request_for(statement, parameters.dup) }
        requests.each { |request| request.idempotent = idempotent }
        requests = atomic ? answered_together(requests, idempotent) : answered_separately(requests)
        outcomes = requests.map { |request| outcome(request) }
        error = outcomes.find { |result| result.is_a?(Exception) } or return outcomes
        error.batch = outcomes if error.is_a?(Error)
        raise error
      end

      # Statements that a read-only server has refused are sent elsewhere once, together with those after them, which must see their effects: those of
      # them that were answered have changed nothing.
      #
      # @return [Array<Request>] answered ones, which may be later attempts
      def answered_separately(requests)
        batch = performed_separately(requests)
        refused = requests.index { |request| read_only?(request) }
        return requests unless refused && may_send_elsewhere?(batch, requests[refused])

        requests.first(refused) + requests.drop(refused).map(&:again).tap { |again| performed_separately(again) }
      end

      def performed_separately(requests)
        batch = Request.batch(requests, false)
        @executor.perform(batch)
        batch
      ensure
        batch&.abandon(batch.failure || Abandonment::SENT[:cancel])
      end

      # The batch has settings if it is atomic, and else each request.
      def may_send_elsewhere?(batch, refused) = [batch, refused].none? { |request| @executor.retries.requests_read_only?(request) } && @executor.begins_elsewhere?(batch)

      def read_only?(request) = request.error && @executor.responses.error(request).sqlstate == Retries::READ_ONLY

      # @return [Array<Request>] answered ones, which may be later attempts
      def answered_together(requests, idempotent)
        tries = 1
        sent_elsewhere = false
        route = nil
        until (batch = performed(Request.batch(requests, true), idempotent, route)).answered?
          route = batch.route
          culprit = (requests.find(&:error) unless batch.failure) || batch
          error = @executor.responses.error(culprit)
          again = tries < Retries::MOST_TRIES && attempt_again(batch, culprit, error)
          again = sent_elsewhere = :again if !sent_elsewhere && read_only?(culprit) && may_send_elsewhere?(batch, culprit)
          raise undone(error, requests, culprit) unless again

          requests = requests.map(&again)
          tries += 1
        end
        requests
      end

      # @param route [Route, nil] of the attempt before, if there was one
      def performed(batch, idempotent, route)
        batch.route = route
        batch.idempotent = idempotent
        @executor.perform(batch)
        @executor.responses.announce(batch)
        batch
      ensure
        batch.abandon(batch.failure || Abandonment::SENT[:cancel])
      end

      # @return [#to_proc, nil] makes the request of another attempt
      def attempt_again(batch, culprit, error)
        return :again if culprit.equal?(batch) && @executor.retries.resendable?(batch, error)

        @executor.retries.method(:prepared_anew) if @executor.retries.preparable_anew?(culprit, batch)
      end

      def undone(error, requests, culprit)
        @executor.responses.announce(culprit)
        error.batch = requests.map { |request| request.equal?(culprit) ? error : nil }
        error
      end

      # @return [Result, Exception]
      def outcome(request)
        result(request)
      rescue Error, ArgumentError => error
        error
      end
    end
  end
end
