# frozen_string_literal: true

require "delegate"
require_relative "../copy/copying"
require_relative "local_executor"
require_relative "streaming"

module Trunkline
  module Postgres
    # A client or session with its own defaults for the options of each query; it delegates everything else. It is cheap to make.
    #
    # @see Querying#with
    class Scope < SimpleDelegator
      include Querying
      include Copying
      include Streaming

      # @param base [Executor] of the client, session or transaction from which it is made
      def initialize(base, result_class, deadline: nil, idempotent: nil, prepare: nil, decode: nil, settings: nil, role: nil, group_commit: nil, **unknown) # :nodoc:
        UnknownKeywords.refuse(unknown, Scope.instance_method(:initialize)) unless unknown.empty?
        super(base.object)
        @base = base
        @local = LocalSettings.of(settings, role)
        @decoding = decode ? Decoding.of(decode) : base.decoding
        @statements = base.statements_for(@decoding, @local&.context)
        @result_class = result_class
        @defaults = { deadline: deadline, idempotent: idempotent, prepare: prepare, decode: decode, settings: settings, role: role,
                      group_commit: group_commit }.freeze
        @unnamed = prepare == false
        @executor = LocalExecutor.new(base, @statements, @decoding, self, @local, group_commit, @unnamed)
        @deadline = deadline # defaults in Querying, as the next one
        @idempotent = idempotent
        base.observe(@executor)
      end

      # @yieldparam session [Scope] the session, with the same defaults
      # @see Client#session
      def session(&block)
        return __getobj__.session unless block && __getobj__.respond_to?(:session)

        @executor.session(block) { |session| yield within(session) }
      end

      # @yieldparam transaction [Scope] the transaction, with the same defaults
      # @see Client#transaction
      def transaction(**options, &block)
        return __getobj__.transaction(**options) unless block

        @executor.transaction(options, block) { |transaction| yield within(transaction) }
      end

      # @see Client#execute_script
      # @raise [SharedStateError] the scope has settings or a role, which only a transaction that was begun with them passes on
      def execute_script(sql, *unknown)
        @executor.check_script(sql)
        __getobj__.execute_script(sql, *unknown)
      end

      private

      # Options that are not given again are unchanged; settings are merged.
      def scope(result_class, **options)
        options = options.merge(settings: all_settings(options[:settings])) if Hash === options[:settings]
        Scope.new(@base, result_class, **@defaults, **options)
      end

      def once(settings, role, group_commit = nil)
        local = nil == settings && nil == role ? @local : LocalSettings.of(all_settings(settings), nil == role ? @defaults[:role] : role)
        group_commit = @defaults[:group_commit] if nil == group_commit
        LocalCall.new(@base, statements_under(local), @result_class, local, group_commit, unnamed: @unnamed)
      end

      def statements_under(local) = local&.context.equal?(@local&.context) ? @statements : @base.statements_for(@decoding, local&.context)

      def all_settings(settings)
        return @defaults[:settings] if nil == settings

        Hash === settings ? LocalSettings.merge(@defaults[:settings].to_h, settings) : settings
      end

      def within(base) = Scope.new(base, @result_class, **@defaults)
    end
  end
end
