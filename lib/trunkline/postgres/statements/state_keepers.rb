# frozen_string_literal: true

require_relative "state_keepers/catalogue"
require_relative "state_keepers/function_source"
require_relative "state_keepers/reach"
require_relative "statements"

module Trunkline
  module Postgres
    # Finds objects that keep state in their session without any statement showing it: the database's own functions, as far as their text shows, and
    # the tables, views, types, operators and commands that call them.
    module StateKeepers # :nodoc:
      # The result of {Postgres.listed_functions}: functions that are known to keep state, wherever they are called.
      NAMES, PREFIXES, SCHEMAS = Postgres.listed_functions
      PG_PROC = 1255 # the catalogue's OID
      FIRST_PATTERN = "\\m(?:#{[*NAMES, *SCHEMAS, *Catalogue::WORDS].join("|")})\\M|\\m(?:#{PREFIXES.join("|")})|#{Catalogue::COMMANDS}".freeze
      private_constant :NAMES, :PREFIXES, :SCHEMAS, :PG_PROC, :FIRST_PATTERN

      module_function

      # @yieldparam script [String] of SQL
      # @yieldreturn [Array<Hash>] rows of its last statement
      # @return [Array<Array>] keepers, as Statement.new takes them; frozen
      # @raise [Error] the query failed
      def find(&query)
        sources = sources(query, FIRST_PATTERN)
        expressions = query.call(expressions_script)
        keepers = []
        loop do
          seeds = effects(sources, expressions, keepers)
          return [].freeze if seeds.empty?

          found = query.call(Reach.script(seeds)).map { |row| [row["schema"], row["name"], row["by"].to_sym, row["for_good"]].freeze }
          return found.freeze if found == keepers

          sources = { **sources(query, pattern_of(found - keepers)), **sources }
          keepers = found
        end
      end

      # @return [String] SQL of one value, which differs when {find} may find something else
      def fingerprint_script = Catalogue::FINGERPRINT

      # @param name [String] of a function
      def listed?(name) = NAMES.include?(name) || PREFIXES.any? { |prefix| name.start_with?(prefix) }

      # @return [Hash{Integer => FunctionSource}] of functions whose text matches the pattern
      def sources(query, pattern)
        rows = query.call(format(Catalogue::FUNCTIONS, pattern: pattern))
        rows.to_h { |row| [row["object"], FunctionSource.new(row["source"], row["language"], row["parameters"])] }
      end

      # @return [String] a regular expression for the server, as a string literal of SQL
      def pattern_of(keepers)
        return "" if keepers.any? { |keeper| keeper[2] == :command }

        names = keepers.map { |keeper| keeper[1].gsub(/[^[:alnum:]_]/) { |sign| "\\#{sign}" }.gsub("'", "''") }
        names.empty? ? "a^" : names.uniq.join("|")
      end

      # @return [Array<Array>] for {Reach.script}
      def effects(sources, expressions, keepers)
        found = sources.filter_map { |object, source| (effect = source.effect(keepers)) && [PG_PROC, object, false, effect == :lasting] }
        found + expressions.filter_map do |row|
          statement = Statement.new(-"SELECT #{row["source"]}", 0, keepers)
          next unless row["passes_on"] || statement.classification == :session

          [row["class"], row["object"], row["written"] || row["passes_on"], statement.effect == :lasting || SessionEffect.lasting?(row["source"])]
        end
      end

      def expressions_script
        conditions = ["p.proname IN (#{NAMES.map { |name| "'#{name}'" }.join(", ")})", "n.nspname IN (#{SCHEMAS.map { |name| "'#{name}'" }.join(", ")})",
                      *PREFIXES.map { |prefix| "starts_with(p.proname, '#{prefix}')" }]
        format(Catalogue::EXPRESSIONS, functions: conditions.join(" OR "))
      end
      private_class_method :sources, :pattern_of, :effects, :expressions_script
    end
    private_constant :StateKeepers
  end
end
