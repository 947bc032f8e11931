# frozen_string_literal: true

require_relative "../request/response_reader"
require_relative "../request/executor"
require_relative "batching"
require_relative "describing"
require_relative "../statements/escaping"
require_relative "../request/future"
require_relative "inserting"
require_relative "../notifications/notifying"
require_relative "probing"
require_relative "unknown_keywords"
require_relative "../results/records"
require_relative "../request/request"

module Trunkline
  module Postgres
    # The verbs that a client and a session have in common. Their includers have an Executor, which does the work, and for what every query needs the
    # statements, the class of results, and the defaults of a deadline and of idempotence. These are set by constructors, and verbs only read them.
    module Querying
      include Notifying
      include Batching
      include Describing
      include Escaping
      include Inserting
      include Probing

      # Runs one statement. It is prepared on first use.
      #
      #   db.query("SELECT name FROM users WHERE id = $1", 42)
      #   db.query("SELECT name FROM users WHERE id = :id", { id: 42 })   # the braces tell the values from the options
      #
      # @param sql [String] with $1, $2, ... for parameters, or with :name
      # @param parameters one Ruby value per placeholder: nil, true, false, Integer, Float, Rational, BigDecimal, String,
      #   Symbol, Time, Date, DateTime, Array, Set, Hash, Range, IPAddr, Interval, TimeOfDay, ActiveSupport::Duration, Pathname, URI; or for
      #   :name one Hash with them, by Symbols or Strings
      # @param deadline [Numeric, nil] seconds from now within which the answer must come
      # @param idempotent [Boolean] whether it does no harm to run it twice: then it is sent again when the connection is lost
      #   before the answer
      # @param settings [Hash{String => String, Numeric, Boolean}, nil] of the server, for this query alone
      # @param role [String, nil] that it runs as
      # @param group_commit [Boolean, nil] whether it may share its wait for the server's disk with writes of others; nil: as the client
      #   says; see guides/batches-and-settings.md
      # @param as [Class, nil] what the rows become objects of, as {Result#as} has it
      # @yieldparam row [Hash] each row, when all are there; see {Streaming#stream} for results of any size
      # @return [Result]
      # @raise [Deadline] the answer did not come in time; see {Error#sent?} for whether it may have had an effect
      # @raise [ServerError] what the server refused; nothing of the statement has happened
      # @raise [NotSent] no connection took it; it may be tried again
      # @raise [Indeterminate] it was sent and the connection was lost before the answer
      # @raise [SharedStateError] where it would leave something behind on a connection that others share
      # @raise [ArgumentError, TypeError, EncodingError] a parameter cannot be sent, or there are too few or too many; a setting that cannot be
      def query(sql, *parameters, deadline: @deadline, idempotent: @idempotent, settings: nil, role: nil, group_commit: nil, as: nil, **unknown, &block)
        UnknownKeywords.refuse_values(unknown, Querying.instance_method(:query)) unless unknown.empty?
        return once(settings, role, group_commit).query(sql, *parameters, deadline: deadline, idempotent: idempotent, as: as, &block) unless settings.nil? && role.nil? && group_commit.nil?

        Records.check(as) unless as.nil?

        request = query_request(sql, parameters, deadline, idempotent)
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

      # Sends one statement and goes on without waiting, unless this caller has too many futures without an answer.
      #
      # @return [Future] whose value is what {query} would have returned
      # @raise [Overloaded] the answers of futures whose values were not asked for have max_future_bytes already: nothing was sent
      # @raise [ArgumentError] also: it was to share its wait for the disk, as here nothing need wait; its commit is its own
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
      # @param options deadline, idempotent, settings, role and group_commit, as for {query}; settings are added to those there are; prepare: false, where no connection is to keep the statements;
      #   decode, a Hash of how types are decoded where not as usual, by their OIDs and :default: :text is the server's text,
      #   :value the usual value, a callable makes one of the text
      # @yieldparam scope [Scope]
      # @return [Scope, Object] what the block returned, where one is given
      def with(keys: nil, **options)
        made = scope(keys ? ResponseReader.result_class(keys) : @result_class, **options)
        block_given? ? yield(made) : made
      end

      private

      def scope(result_class, **options) = Scope.new(@executor, result_class, **options)

      # For one call, which is observed already if it is to be.
      #
      # @return [LocalCall]
      def once(settings, role, group_commit = nil)
        local = LocalSettings.of(settings, role)
        statements = local&.context ? @executor.statements_for(@executor.decoding, local.context) : @statements
        LocalCall.new(@executor, statements, @result_class, local, group_commit)
      end

      # Statement and parameters of a call, as the request that is sent for it.
      #
      # @return [Request]
      def query_request(sql, parameters, deadline, idempotent)
        statement = @statements[sql]
        request = Request.query(statement, parameters) || @executor.converted(statement, parameters, deadline)
        return request unless deadline || idempotent

        request.limit(deadline) if deadline
        request.idempotent = idempotent
        request
      end

      # After a NoMethodError: a BasicObject, which has neither `hash` nor `nil?`, may have been given in the place of an argument.
      #
      # @raise [TypeError, ArgumentError] it was
      def check_arguments(sql, settings, role, group_commit, as = nil)
        Statements.text(sql)
        once(settings, role, group_commit)
        Records.check(as) unless nil == as
      end

      # Looking up what is needed to decode it has no more time than the request had.
      def result(request)
        Deadlines.hold(request.deadline) { @executor.responses.result(@executor.retry_until_answered(request), @result_class) }
      end
    end
  end
end

require_relative "local_call"
require_relative "scope"
