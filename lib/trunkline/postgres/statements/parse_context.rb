# frozen_string_literal: true

require_relative "../../trunk/lock"

module Trunkline
  module Postgres
    # What SQL means under settings that parse analysis and the planner read: which table a name stands for, how constants are read, and how it is
    # carried out. There is one ParseContext for the same settings. Without such settings there is none, and its number is 0.
    class ParseContext # :nodoc:
      # Settings that parse analysis and the planner read.
      SETTINGS = %w[role session_authorization row_security search_path timezone timezone_abbreviations transform_null_equals array_nulls
                    backslash_quote xmloption xmlbinary default_text_search_config datestyle intervalstyle].freeze
      # The server looks at these itself whenever it uses a plan.
      REVALIDATED = %w[role session_authorization row_security search_path].freeze
      # How a query is planned, of which PostgreSQL's manual has a chapter: work_mem is not in it. The server keeps the plan of a prepared statement whatever is set later, so what is planned otherwise is another statement:
      # or one caller's settings would change nothing for a statement that was planned before, and leave their plans to others.
      PLANNING = /\A(?:enable_\w+|\w+_cost|\w+_collapse_limit|effective_\w+|geqo\w*|jit\w*|(?:max_)?parallel_\w+|min_parallel_\w+|constraint_exclusion|cursor_tuple_fraction|recursive_worktable_factor)\z/
      # Meanings that are remembered. More time zones than there are, or more tenants than a server session should know at a time; behind
      # that, all are forgotten, and statements are prepared anew.
      MOST = 1000
      private_constant :SETTINGS, :REVALIDATED, :MOST

      @known = {}.freeze
      @lock = Lock.new

      # @param settings [Hash{String => Object}] names in small letters
      # @return [ParseContext, nil] nil: none of them is read then
      def self.of(settings)
        pairs = settings.select { |name,| SETTINGS.include?(name) || PLANNING.match?(name) }.transform_values(&:to_s).sort
        pairs.empty? ? nil : @known[pairs] || @lock.synchronize { remembered(pairs) }
      end

      # @param pairs [Array<Array(String, String)>] of settings
      # @return [ParseContext] with these
      def self.remembered(pairs)
        @known[pairs] || new(pairs).tap { |parse_context| @known = { **(@known.size < MOST ? @known : {}), pairs => parse_context }.freeze }
      end

      # @return [Integer] which no other ParseContext has
      attr_reader :number

      # @return [Integer] of what functions keep: the number of the ParseContext that has the same settings but for those that the server looks at
      #   itself, and how it plans; 0: there are no others
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
