# frozen_string_literal: true

require_relative "../copy/copy"
require_relative "../copy/copy_source"

module Trunkline
  module Postgres
    # What a session does for streams and COPY.
    module SessionFlow # :nodoc:
      # Is it there for one call only, and asked nothing else?
      def lent? = @lent

      # @return [Session] itself, for one call
      def lend
        @lent = true
        self
      end

      # What runs on a connection of its own runs here.
      def own_session(_block) = yield(self)

      # Runs the block in a transaction that is begun with the settings, unless the one that is open was.
      #
      # @yieldparam session [Session] this one
      def localize(local)
        return yield(self) if @levels.first&.local == local
        raise SharingErrors.settings_too_late(nil, server) if in_transaction?

        transaction do |transaction|
          transaction.begin_with(local)
          yield self
        end
      end

      def in_transaction? = !@levels.empty? || !["I", nil].include?(@pinned.status)

      # @param statement [Statement] whose rows are to be streamed
      def begin_flow(statement)
        stain_with(statement) unless statement.shareable?
      end

      # What looking types up would need this session for is done before it is busy.
      def know_types(statement)
        return if lent?

        request = conclude(Request.describe(statement))
        request.redescribe(@responses.description(request)) if request.description.unknown
      end

      # @return [String] a name
      def next_portal = "trunkline_#{@portals = (@portals || 0) + 1}"

      # Its transaction may be over, or about to be.
      def close_portal(name)
        command("CLOSE #{name}") if @pinned.status == "T" && !@pinned.broken?
      rescue Error
        nil
      end

      # Runs the block between a COPY's beginning and end.
      #
      # @yieldparam copy [Copy]
      # @yieldparam source [CopySource]
      # @return [Integer] rows that were copied
      def copying(sql, direction, deadline:, described:)
        source = CopySource.new(@statements[sql], @responses)
        source.check_plain if described && direction == :out
        describe_columns(source, direction) if described && source.plain?
        copy = begin_copy(sql, source, deadline)
        copy.check_direction(direction)
        yield copy, source
        completed = copy.finish
      ensure
        copy&.abort unless completed
      end

      def conclude(request)
        perform(request)
        answered(request)
      end

      # @param request [Request] for more rows of a portal
      # @return [Request] the same, answered
      def fetch(request)
        check_transaction(request) unless @levels.empty?
        @pinned.perform_own(request)
        answered(request)
      end

      private

      def describe_columns(source, direction)
        source.describe(conclude(Request.describe(@statements[source.equivalent])))
        source.prepare_rows if direction == :in
      end

      def begin_what_is_pending
        opening = @pinned.open
        answered(opening) if opening
      end

      def begin_copy(sql, source, deadline)
        begin_what_is_pending
        copy = Copy.new(@pinned, @responses, @statements[sql].sql, deadline: deadline, description: source.description)
        check_transaction(copy.request) unless @levels.empty?
        @pinned.stateful! # triggers, or functions of a query, may leave something behind
        copy.begin
      end
    end
    private_constant :SessionFlow
  end
end
