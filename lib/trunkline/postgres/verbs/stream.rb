# frozen_string_literal: true

require_relative "../request/executor"

module Trunkline
  module Postgres
    # Reads the rows of one statement as they arrive. Without a transaction, they remain in the socket until they are read; in one, a portal returns a
    # number at a time, and the connection is free in between.
    class Stream < Executor # :nodoc:
      # The largest row count in the protocol.
      MOST = (2**31) - 1

      # Finalizer of a stream that no caller can continue: returns its session. It does so in a thread, as a finalizer may run at any point; when the
      # program ends, the connection ends with it.
      Abandoned = Struct.new(:lease) do
        def call(_id)
          Thread.new do
            lease.mark_broken
            lease.release
          end
        rescue ThreadError
          nil
        end
      end
      private_constant :Abandoned

      # @param session [SessionExecutor]
      # @param statements [Hash{String => Statement}] with its caller's parse context
      # @param result_class [Class]
      # @param chunk [Integer] rows
      # @param type [Class, nil] of the objects that the rows become
      def initialize(session, statements, result_class, chunk, type)
        super(statements, session.decoding, session.responses, nil)
        @session = session
        @result_class = result_class
        @chunk = chunk
        @type = type
      end

      # @param statement [Statement]
      # @param deadline [Numeric, nil] seconds
      # @yieldparam row [Hash]
      def each(statement, parameters, deadline, &block)
        @session.mark_stateful_for(statement) unless statement.shareable?
        request = request_for(statement, parameters, deadline)
        request.limit(deadline) if deadline
        @session.in_transaction? ? each_fetched(request, &block) : each_received(request, &block)
      end

      def describe_request(request) = @session.perform_until_answered(request)
      def perform(request) = @way.call(request)

      private

      # In a transaction.
      def each_fetched(request, &block)
        portal = @session.next_portal
        @way = ->(request) { @session.perform(request.fetch(portal, @chunk)) }
        request = perform_until_answered(request)
        yield_rows(request, request.rows, &block)
        while request.suspended?
          request = @session.fetch(request.next_fetch)
          yield_rows(request, request.rows, &block)
        end
      ensure
        close(portal) if request&.answered?
      end

      # Its transaction may be over, or about to end.
      def close(portal)
        @session.command("CLOSE #{portal}") if @session.lease.status == "T" && !@session.lease.broken?
      rescue Error
        nil
      end

      # Without one.
      def each_received(request, &block)
        flow = @session.lease.flow
        on_notices = @responses.method(:announce_notices)
        @way = ->(request) { flow.begin(@begun = request.flow(@chunk), on_notices) { begun?(request) } }
        look_up_types(request.statement) unless @session.lent?
        ObjectSpace.define_finalizer(self, Abandoned.new(@session.lease)) if @session.lent?
        request = perform_until_answered(request)
        yield_rows(request, flow.portion(request), &block) while more?(flow, request)
      ensure
        flow.end(@begun) # only this one's, as another flow may be open
        ObjectSpace.undefine_finalizer(self)
      end

      # Types are looked up before the session is busy, as a lookup may need it.
      def look_up_types(statement)
        request = describe_request(Request.describe(statement))
        request.redescribe(@responses.description(request)) if request.description.unknown
      end

      # After an error only the end of the answer follows, which determines what to do.
      def begun?(request) = request.portion? && request.error.nil?

      def more?(flow, request)
        flow.follow(request) { request.portion? } unless request.portion?
        return true if request.portion?
        raise @responses.error(request) unless request.answered?
      end

      def yield_rows(request, rows, &block)
        portion = @responses.portion(request, rows, @result_class)
        (@type ? portion.as(@type) : portion).each(&block)
      end
    end
    private_constant :Stream
  end
end
