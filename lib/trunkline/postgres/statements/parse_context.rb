# frozen_string_literal: true

require_relative "../../trunk/lock"

module Trunkline
  module Postgres
    # The settings that affect how SQL is parsed and planned: which table a name means, how constants are read, and how it is executed. Equal settings
    # have the same ParseContext. Without such settings there is none, and its number is 0.
    class ParseContext # :nodoc:
      # Settings that parse analysis and the planner read.
      SETTINGS = %w[role session_authorization row_security search_path timezone timezone_abbreviations transform_null_equals array_nulls
                    backslash_quote xmloption xmlbinary default_text_search_config datestyle intervalstyle].freeze
      # Settings that the server compares itself whenever it uses a plan.
      REVALIDATED = %w[role session_authorization row_security search_path].freeze
      # Settings of a query's plan, the manual's chapter "Query Planning"; work_mem is not in it. The server keeps the plan of a prepared statement
      # whatever is set later. So a statement under other settings counts as another statement: otherwise one caller's settings would not affect a
      # statement that was planned before, and its plans would remain for others.
      PLANNING = /\A(?:enable_\w+|\w+_cost|\w+_collapse_limit|effective_\w+|geqo\w*|jit\w*|(?:max_)?parallel_\w+|min_parallel_\w+|constraint_exclusion|cursor_tuple_fraction|recursive_worktable_factor)\z/
      # How many are remembered, a bound on memory: more than there are time zones, or tenants that a server session should know at a time. Beyond that, all are
      # forgotten, and statements are prepared again.
      MOST = 1000
      private_constant :SETTINGS, :REVALIDATED, :MOST

      @known = {}.freeze
      @lock = Lock.new

      # @param settings [Hash{String => Object}] names in small letters
      # @return [ParseContext, nil] nil: none of them affects parsing
      def self.of(settings)
        pairs = settings.select { |name,| SETTINGS.include?(name) || PLANNING.match?(name) }.transform_values(&:to_s).sort
        pairs.empty? ? nil : @known[pairs] || @lock.synchronize { remembered(pairs) }
      end

      # @param pairs [Array<Array(String, String)>] of settings
      # @return [ParseContext] with these
      def self.remembered(pairs)
        @known[pairs] || new(pairs).tap { |parse_context| @known = { **(@known.size < MOST ? @known : {}), pairs => parse_context }.freeze }
      end

      # @return [Integer] unique among ParseContexts
      attr_reader :number

      # @return [Integer] for plans that functions keep: the number of the ParseContext with the same settings, but without those that the server
      #   compares itself, and its plan settings; 0: there are no others
      attr_reader :plans

      # @param pairs [Array<Array(String, String)>] of settings
      def initialize(pairs)
        @number = Postgres.next_parse_context
        others = pairs.reject { |name,| REVALIDATED.include?(name) || PLANNING.match?(name) }
        @plans = if others.empty? then 0
                 elsif others.size == pairs.size then @number
                 else self.class.remembered(others).number
                 end
        freeze
      end
    end
    private_constant :ParseContext
  end
end
