# frozen_string_literal: true

require "delegate"
require_relative "../copy/copying"
require_relative "streaming"

module Trunkline
  module Postgres
    # A client or session with defaults of its own for the options of each query; for everything else the one it was made
    # of. Costs nothing to make.
    #
    # @see Querying#with
    class Scope < SimpleDelegator
      include Querying
      include Copying
      include Streaming

      def initialize(base, responses, result_class, deadline: nil, idempotent: nil, prepare: nil, decode: nil, settings: nil, role: nil, group_commit: nil, **unknown) # :nodoc:
        UnknownKeywords.refuse(unknown, Scope.instance_method(:initialize)) unless unknown.empty?
        super(base)
        @base = Internals.new(base)
        @local = LocalSettings.of(settings, role)
        @decoding = decode ? Decoding.of(decode) : @base.decoding
        @statements = @base.statements_for(@decoding, @local&.context)
        @responses = responses
        @result_class = result_class
        @defaults = { deadline: deadline, idempotent: idempotent, prepare: prepare, decode: decode, settings: settings, role: role,
                      group_commit: group_commit }.freeze
        @unnamed = prepare == false
        @calls = LocalCall.new(@base, responses, result_class, @statements, @local, group_commit, unnamed: @unnamed).then { |call| Internals.new(call) }
        @deadline = deadline # these two are what Querying falls back on
        @idempotent = idempotent
      end

      # @yieldparam session [Scope] the session, with the same defaults
      # @see Client#session
      def session(&block)
        return __getobj__.session unless block

        __getobj__.session { |session| yield within(session) }
      end

      # @yieldparam transaction [Scope] the transaction, with the same defaults
      # @see Client#transaction
      def transaction(**options, &block)
        return __getobj__.transaction(**options) unless block

        __getobj__.transaction(**options) do |transaction|
          Internals.new(transaction).begin_with(@local) if @local
          yield within(transaction)
        end
      end

      # @see Client#execute_script
      # @raise [SharedStateError] the scope has settings or a role, which only a transaction that was begun with them hands down
      def execute_script(sql)
        @base.localized(Request.script(Statements.text(sql)), @local) if @local
        __getobj__.execute_script(sql)
      end

      private

      attr_reader :decoding

      # What runs in a transaction of its own for them has that on the same connection.
      def own_session(block, &work)
        @base.own_session(block) { |session| @local ? session.localize(@local, &work) : work.call(session) }
      end

      def perform(request) = @calls.perform(request)
      def dispatch(request) = @calls.dispatch(request)
      def begins_elsewhere?(request) = @calls.begins_elsewhere?(request)
      def holds_connection? = @base.holds_connection?
      def statements_for(decoding, context) = @base.statements_for(decoding, context)

      # What is not given again stays as it is; of settings, each of them.
      def made_scope(result_class, **options)
        options = options.merge(settings: all_settings(options[:settings])) if Hash === options[:settings]
        Scope.new(__getobj__, @responses, result_class, **@defaults, **options)
      end

      def once(settings, role, group_commit = nil)
        local = nil == settings && nil == role ? @local : LocalSettings.of(all_settings(settings), nil == role ? @defaults[:role] : role)
        group_commit = @defaults[:group_commit] if nil == group_commit
        LocalCall.new(@base, @responses, @result_class, statements_under(local), local, group_commit, unnamed: @unnamed)
      end

      def statements_under(local) = local&.context.equal?(@local&.context) ? @statements : statements_for(@decoding, local&.context)

      def all_settings(settings)
        return @defaults[:settings] if nil == settings

        Hash === settings ? LocalSettings.merge(@defaults[:settings].to_h, settings) : settings
      end

      def within(session) = observe(Scope.new(session, @responses, @result_class, **@defaults))
    end
  end
end
