# frozen_string_literal: true

require_relative "../../trunk/limits"
require_relative "../../trunk/waiting"
require_relative "../parameters/array_nulls"
require_relative "ascii_database"
require_relative "../types/decoding"
require_relative "local_settings"
require_relative "../statements/placeholders"
require_relative "../statements/quoted_names"
require_relative "abandonment_errors"
require_relative "unanswered_futures"
require_relative "../results/result"
require_relative "../group_commit/shared_flush"
require_relative "../types/type_names"

module Trunkline
  module Postgres
    # Converts answered requests to results, and failed ones to errors. It runs in the requester's own fiber or thread, after the protocol has
    # consumed the bytes: a slow decoder in Ruby stops no other caller.
    class ResponseReader # :nodoc:
      RESULTS = { string: Result, symbol: SymbolResult }.compare_by_identity.freeze
      # What errors may contain.
      ERRORS = { with_values: false, without_values: true }.compare_by_identity.freeze
      private_constant :RESULTS, :ERRORS

      def self.result_class(keys)
        RESULTS.fetch(keys) { raise ArgumentError, "keys must be :string or :symbol, not #{Argument.shown(keys)}" }
      end

      # @return [Limits]
      attr_reader :limits

      # @return [UnansweredFutures] the futures without an answer
      attr_reader :unanswered_futures

      # @return [String] label for errors
      attr_reader :server

      # @return [Middlewares, nil] through which observed calls go
      attr_accessor :middlewares

      # @return [TypeNames]
      attr_reader :type_names

      # @return [ArrayNulls]
      attr_reader :array_nulls

      # @return [#call, nil] receives each notice
      attr_accessor :on_notice

      # The parameters that the server has reported at the latest login: server_version, server_encoding, ...
      #
      # @return [Hash{String => String}]
      attr_accessor :reported

      # @return [true, nil] whether servers cannot compare the types that values were written for: behind a pooler, and where nothing is prepared
      attr_accessor :types_unchecked

      # Receives each request whose statement has left session state on a shared connection.
      #
      # @return [#call, nil]
      attr_writer :on_leak

      # @param types [Types]
      # @param server [String] label for errors
      # @param limits [Limits]
      # @param errors [:with_values, :without_values] whether errors may contain values that the server quotes
      # @param query [#call] runs SQL with parameters and returns rows, to look types up
      # @raise [ArgumentError] `errors` is neither
      def initialize(types, server, limits: Limits.new, errors: :with_values, &query)
        @hides_values = ERRORS.fetch(errors) { raise ArgumentError, "errors must be :with_values or :without_values, not #{Argument.shown(errors)}" }
        @reported = {}.freeze
        @types = types
        @unanswered_futures = UnansweredFutures.new(limits.max_futures, limits.max_future_bytes, server)
        @limits = limits
        @server = server
        @query = query
        @type_names = TypeNames.new(&query)
        @array_nulls = ArrayNulls.new(server, &query)
      end

      # @param request [Request] answered
      # @return [Result]
      def result(request, result_class)
        description = request.description
        rows = request.rows
        finish(request, description, rows) unless description.plain?
        result_class.new(rows, description, request.affected_rows, request.notices)
      end

      # @param request [Request] of a script, answered
      # @yieldparam tag [String, true, nil] of the command, if tags are kept
      # @return [Array<Result>]
      def results(request, result_class)
        (request.results || []).map do |description, rows, affected_rows, tag|
          finish(request, description, rows) unless description.plain?
          result = result_class.new(rows, description, affected_rows)
          yield result, tag if block_given?
          result
        end
      end

      # @param request [Request] whose answer is read in parts
      # @param rows [Array<Array>] one part
      # @return [Result] of these rows
      def portion(request, rows, result_class)
        finish(request, request.description, rows) unless request.description.plain?
        result_class.new(rows, request.description, nil)
      end

      # Passes on the notices of a request that were not passed on before its end.
      #
      # @param request [Request] done
      def announce(request)
        request.yield_notices(&announcer) if request.notices && on_notice
      end

      # Passes on the notices that have arrived so far, for as long as one turn.
      #
      # @param request [Request] in flight, of the calling thread
      def pass_notices_early(request)
        until_then = Clock.now + Waiting::TURN
        request.yield_notices do |fields|
          on_notice&.call(fields)
          break if Clock.now > until_then
        end
      end

      # Calls the middlewares.
      #
      # @param from [String] label of the former connection's host
      # @param to [String] label of the new connection's host
      def switched(from, to) = middlewares&.switch(from, to, server) { nil }

      # @param notices [String] as ErrorFields.each takes them
      def announce_notices(notices)
        ErrorFields.each(notices, &announcer) if on_notice
      end

      # @param oids [Array<Integer>] of a statement's parameters
      # @return [Array<Integer>] the same, resolved to built-in types where possible
      def parameter_types(oids)
        @types.resolve(oids - [0], &@query) # 0: the server determines it
        @types.parameter_oids(oids)
      end

      # @param request [Request] answered, of a statement that returns rows
      # @return [Description] of its columns, with all types resolved
      def description(request)
        description = request.description
        description = description.resolved(@types.resolve(description.unknown, &@query)) if description.unknown
        description.finish_with(finishers(description)) unless description.plain? || description.finishers
        description
      end

      # @param description [Description] with all types resolved
      # @param rows [Array<Array>] as the codec has decoded them; their values are replaced by the final ones
      def finish_rows(description, rows)
        memories = Array.new(rows.size)
        columns = description.finishers&.each_with_index&.filter_map { |finisher, column| [column, finished(finisher, rows, column, memories)] if finisher }
        columns&.each { |column, values| values.each_with_index { |value, row| rows[row][column] = value } }
      end

      # @param request [Request] not answered
      # @return [Error]
      def error(request)
        sql = sql_of(request)
        if request.failure then failure_error(request.failure, sql)
        elsif (message = request.error) then server_error(request, ErrorFields.parse(message), sql)
        elsif request.unreadable then unreadable_error(request.unreadable, sql)
        else shared_state_error(request, sql)
        end
      end

      # @param request [Request] that would be sent again, had its caller not cancelled it
      # @param error [Error] the reason
      # @return [Cancelled]
      def cancelled(request, error)
        AbandonmentErrors.unanswered((error.is_a?(Indeterminate) ? Abandonment::SENT : Abandonment::UNSENT)[:cancel], sql: sql_of(request), server: @server)
      end

      private

      # @return [Proc] passes on the fields that it is called with, and gives turns
      def announcer
        since = Clock.now
        proc do |fields|
          on_notice&.call(fields)
          next if Clock.now - since < Waiting::TURN

          Waiting.give_turn(Fiber.current_scheduler) || Thread.pass
          since = Clock.now
        end
      end

      # Short texts of most columns are not counted: all of them in a row together take less memory than one row may.
      def finished(finisher, rows, column, memories)
        return rows.map { |row| finisher.call(row[column]) unless row[column].nil? } unless finisher.respond_to?(:uncounted)

        uncounted = finisher.uncounted(@limits.max_message / rows.first.size) unless rows.empty?
        rows.each_with_index.map do |row, at|
          value = row[column]
          next if value.nil?
          next finisher.call(value, nil) if value.is_a?(String) && value.bytesize <= uncounted

          finisher.call(value, memories[at] ||= RowMemory.new(@limits.max_message))
        end
      end

      # Looks up types again that another program has changed, once.
      def finish_anew(description, rows)
        @types.look_up_again(description.types)
        @types.resolve(description.types, &@query)
        description.finish_with(finishers(description))
        finish_rows(description, rows)
      end

      def sql_of(request)
        sql = request.statement&.sql || request.script
        @hides_values ? WithoutValues.sql(sql) : sql
      end

      def failure_error(failure, sql)
        case failure
        when Abandonment then AbandonmentErrors.unanswered(failure, sql: sql, server: @server)
        when Unflushed then AbandonmentErrors.unflushed(failure, sql: sql, server: @server)
        else loss_error(failure, sql)
        end
      end

      # Outside of transactions such a statement is repeated without an error.
      def server_error(request, fields, sql)
        return AbandonmentErrors.ended_by_server(request, sql: sql, server: @server) if AbandonmentErrors.ended_by_server?(request, fields)

        fields = WithoutValues.fields(fields, sql) if @hides_values
        fields = AsciiDatabase.hinted(fields) if @reported["server_encoding"] == AsciiDatabase::ENCODING
        return OutdatedStatement.new(fields, sql: sql, server: @server) if request.forgotten? && request.status == "E"

        advice = request.route&.advice(request, fields) || Placeholders.advice(fields, sql) || QuotedNames.advice(fields, sql)
        ServerError.from_fields(fields, sql: sql, server: @server, advice: advice)
      end

      def loss_error(loss, sql)
        return Closed.new(loss.reason, sql: sql, server: @server, sent: loss.sent) if loss.closed

        kind = loss.sent ? Indeterminate : NotSent
        kind.new("the connection was lost: #{loss.reason}", sql: sql, server: @server, sent: loss.sent)
      end

      # @param reason [Exception]
      def unreadable_error(reason, sql)
        advice = "#{reason.message}: the statement was executed, and its result cannot be returned"
        raise UnreadableResult.new(advice, sql: sql, server: @server, sent: true), cause: reason
      rescue UnreadableResult => error
        error
      end

      # The connection is closed in any case, and with it the transaction ends.
      def shared_state_error(request, sql)
        @on_leak&.call(request) if request.leak && request.statement
        what = request.status == "I" ? "was executed, and has left session state" : "would have left a transaction open, and was undone,"
        SharedStateError.new("the statement #{what} on a shared connection: use transaction { } or session { }",
                             sql: sql, server: @server, sent: true)
      end

      # Rows that arrived while types were unknown contain the server's text of such values. In later requests C decodes them; requests in flight use
      # the same description, and are decoded here too.
      def finish(request, description, rows)
        description = decode_late(request, description, rows) if description.unknown
        description.finish_with(finishers(description)) unless description.plain? || description.finishers
        finish_rows(description, rows)
      rescue Types::OutdatedType
        finish_anew(description, rows)
      end

      def decode_late(request, description, rows)
        types = @types.resolve(description.unknown, &@query)
        memories = rows.map { RowMemory.new(@limits.max_message) }
        description.types.each_with_index do |type, column|
          base, array = types[type]
          rows.each_with_index { |row, at| row[column] &&= Postgres.decode(base, array, 0, row[column], memories[at]) } if base
        end
        description.resolved(types).tap { |resolved| request.redescribe(resolved) }
      end

      def finishers(description)
        chosen = description.decoding || {}
        finishers = description.types.map do |type|
          choice = chosen[type]
          choice ? Decoding.finisher(choice) : @types.finisher(type)
        end
        finishers if finishers.any?
      end
    end
    private_constant :ResponseReader
  end
end
