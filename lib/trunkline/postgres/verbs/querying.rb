# frozen_string_literal: true

require_relative "../request/response_reader"
require_relative "../request/executor"
require_relative "batching"
require_relative "describing"
require_relative "../statements/escaping"
require_relative "../request/future"
require_relative "inserting"
require_relative "../notifications/notifying"
require_relative "other_verbs"
require_relative "probing"
require_relative "unknown_keywords"
require_relative "../results/records"
require_relative "../request/request"
require_relative "../../trunk/undumpable"

module Trunkline
  module Postgres
    # The methods that clients and sessions have in common. Includers have an Executor, which does the work, and, for the path of every query, the
    # statements, the class of results, and defaults of deadline and idempotent. Constructors set these, and the methods here only read them.
    module Querying
      include Notifying
      include Batching
      include Describing
      include Escaping
      include Inserting
      include Probing
      include OtherVerbs
      include Undumpable

      # Runs one statement. It is prepared on first use.
      #
      #   db.query("SELECT name FROM users WHERE id = $1", 42)
      #   db.query("SELECT name FROM users WHERE id = :id", { id: 42 })   # the braces distinguish the values from the options
      #
      # @param sql [String] with $1, $2, ... for parameters, or with :name
      # @param parameters one Ruby value per placeholder: nil, true, false, Integer, Float, Rational, BigDecimal, String, Symbol, Time, Date,
      #   DateTime, Array, Set, Hash, Range, IPAddr, Interval, TimeOfDay, ActiveSupport::Duration, Pathname, URI; or for :name one Hash of them, by
      #   Symbols or Strings
      # @param deadline [Numeric, nil] seconds from now within which the answer must come
      # @param idempotent [Boolean] whether it may run twice: then it is sent again when the connection is lost before the answer
      # @param settings [Hash{String => String, Numeric, Boolean}, nil] of the server, for this query alone
      # @param role [String, nil] under which it runs
      # @param group_commit [Boolean, nil] whether it may wait for the server's disk together with writes of others; nil: as for the client; see
      #   guides/batches-and-settings.md
      # @param as [Class, nil] of the objects that the rows become, see {Result#as}
      # @yieldparam row [Hash] each row, when all have arrived; see {Streaming#stream} for results of any size
      # @return [Result]
      # @raise [Deadline] the answer did not come in time; see {Error#sent?} for whether it may have had an effect
      # @raise [ServerError] the server refused it; nothing of the statement has happened
      # @raise [NotSent] no connection took it; it may be tried again
      # @raise [Indeterminate] it was sent and the connection was lost before the answer
      # @raise [SharedStateError] it would leave session state on a shared connection
      # @raise [ArgumentError, TypeError, EncodingError] a parameter cannot be sent, or there are too few or too many; a setting is invalid
      def query(sql, *parameters, deadline: @deadline, idempotent: @idempotent, settings: nil, role: nil, group_commit: nil, as: nil, **unknown, &block)
        UnknownKeywords.refuse_values(unknown, Querying.instance_method(:query)) unless unknown.empty?
        return once(settings, role, group_commit).query(sql, *parameters, deadline: deadline, idempotent: idempotent, as: as, &block) unless settings.nil? && role.nil? && group_commit.nil?

        Records.check(as) unless as.nil?

        statement = @statements[sql] # as query_request does, without a call
        request = Request.query(statement, parameters) || @executor.converted(statement, parameters, deadline)
        set_limits(request, deadline, idempotent) if deadline || idempotent
        @executor.perform(request)
        answer = request.result(@result_class) || result(request)
        return answer if as.nil? && block.nil?

        answer = answer.as(as) unless as.nil?
        block.nil? ? answer : answer.each(&block)
      rescue NoMethodError
        check_arguments(sql, settings, role, group_commit, as)
        raise
      end

      # @return [Hash, Object, nil] the first row of what {query} returns
      def first(sql, *parameters, deadline: @deadline, idempotent: @idempotent, settings: nil, role: nil, group_commit: nil, as: nil, **unknown)
        UnknownKeywords.refuse_values(unknown, Querying.instance_method(:first)) unless unknown.empty?
        query(sql, *parameters, deadline: deadline, idempotent: idempotent, settings: settings, role: role, group_commit: group_commit, as: as)[0]
      end

      # @return [Array] the first column of what {query} returns, a value for each row
      # @raise [IndexError] the statement returns no columns
      def column(sql, *parameters, deadline: @deadline, idempotent: @idempotent, settings: nil, role: nil, group_commit: nil, **unknown)
        UnknownKeywords.refuse_values(unknown, Querying.instance_method(:column)) unless unknown.empty?
        query(sql, *parameters, deadline: deadline, idempotent: idempotent, settings: settings, role: role, group_commit: group_commit).column
      end

      # @return [Object, nil] the first column of the first row of what {query} returns
      def value(sql, *parameters, deadline: @deadline, idempotent: @idempotent, settings: nil, role: nil, group_commit: nil, **unknown)
        UnknownKeywords.refuse_values(unknown, Querying.instance_method(:value)) unless unknown.empty?
        return once(settings, role, group_commit).value(sql, *parameters, deadline: deadline, idempotent: idempotent) unless settings.nil? && role.nil? && group_commit.nil?

        request = query_request(sql, parameters, deadline, idempotent)
        @executor.perform(request)
        request.plain? ? request.value : result(request).value
      rescue NoMethodError
        check_arguments(sql, settings, role, group_commit)
        raise
      end

      # Sends one statement without waiting for its answer, unless this caller has too many unanswered futures.
      #
      # @return [Future] whose value is what {query} would have returned
      # @raise [Overloaded] unread values of futures have max_future_bytes already: nothing was sent
      # @raise [ArgumentError] also: with group_commit: true, as no caller waits here; it commits by itself
      def async(sql, *parameters, deadline: @deadline, idempotent: @idempotent, settings: nil, role: nil, group_commit: nil, as: nil, **unknown)
        UnknownKeywords.refuse_values(unknown, Querying.instance_method(:async)) unless unknown.empty?
        raise ArgumentError, "async has no group_commit: a write that shares a flush needs a caller that waits for it, as query does" if group_commit
        return once(settings, role).async(sql, *parameters, deadline: deadline, idempotent: idempotent, as: as) unless settings.nil? && role.nil?

        Records.check(as) unless as.nil?

        request = query_request(sql, parameters, deadline, idempotent)
        futures = @executor.responses.unanswered_futures
        futures.make_room(request)
        future = Future.new(@executor.dispatch(request), request) { |done| as.nil? ? result(done) : result(done).as(as) }
        futures.add(future, request)
      rescue NoMethodError
        check_arguments(sql, settings, role, nil, as)
        raise
      end

      # The same client or session, with defaults for each query; what a call gives itself takes precedence.
      #
      #   db.with(deadline: 0.2).value("SELECT 1")
      #   db.with(keys: :symbol) { |symbols| symbols.first("SELECT 1 AS one") }   # => {one: 1}
      #
      # @param keys [:string, :symbol] of the Hashes that results yield
      # @param options deadline, idempotent, settings, role and group_commit, as for {query}; settings are added to the present ones; prepare: false,
      #   so that no connection keeps the statements; decode, a Hash of how types are decoded, if not by default, by their OIDs and :default: :text is
      #   the server's text, :value the default value, a callable makes a value of the text
      # @yieldparam scope [Scope]
      # @return [Scope, Object] with a block, what the block returned
      def with(keys: nil, **options)
        made = scope(keys ? ResponseReader.result_class(keys) : @result_class, **options)
        block_given? ? yield(made) : made
      end

      private

      def scope(result_class, **options) = Scope.new(@executor, result_class, **options)

      # A LocalCall for one call; the call itself is observed already, if there are middlewares.
      #
      # @return [LocalCall]
      def once(settings, role, group_commit = nil)
        local = LocalSettings.of(settings, role)
        statements = local&.context ? @executor.statements_for(@executor.decoding, local.context) : @statements
        LocalCall.new(@executor, statements, @result_class, local, group_commit)
      end

      # The request for a call's statement and parameters.
      #
      # @return [Request]
      def query_request(sql, parameters, deadline, idempotent)
        statement = @statements[sql]
        request = Request.query(statement, parameters) || @executor.converted(statement, parameters, deadline)
        deadline || idempotent ? set_limits(request, deadline, idempotent) : request
      end

      # @return [Request] itself
      def set_limits(request, deadline, idempotent)
        request.limit(deadline) if deadline
        request.idempotent = idempotent
        request
      end

      # After a NoMethodError: an argument may have been a BasicObject, which has neither `hash` nor `nil?`.
      #
      # @raise [TypeError, ArgumentError] it was one
      def check_arguments(sql, settings, role, group_commit, as = nil)
        Statements.text(sql)
        once(settings, role, group_commit)
        Records.check(as) unless nil == as
      end

      # Lookups that decoding needs have the remaining time of the request.
      def result(request)
        Deadlines.hold(request.deadline) { @executor.responses.result(@executor.retry_until_answered(request), @result_class) }
      end
    end
  end
end

require_relative "local_call"
require_relative "scope"
