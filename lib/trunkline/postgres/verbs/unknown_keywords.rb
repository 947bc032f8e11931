# frozen_string_literal: true

module Trunkline
  module Postgres
    # Errors for unknown keywords: unlike Ruby's own, they contain the nearest known keyword, and explain where a value for :name goes. For that Ruby
    # makes an empty Hash at each call: one object of a query, and 40 to 100 ns of some 5 us. With ruby2_keywords it makes none, but a call with a
    # deadline takes 70 to 180 ns more than with the Hash, and neither the reference nor signatures would see the keywords.
    module UnknownKeywords # :nodoc:
      # Longer names are not compared: that takes long.
      LONGEST = 100
      # Options that other libraries have, or that stand elsewhere here.
      OTHERS = {
        timeout: "deadline: (seconds)", statement_timeout: "deadline: (seconds)", read_timeout: "deadline: (seconds)", keys: "keys: of the client, or with(keys: :symbol)",
        symbolize_keys: "keys: of the client, or with(keys: :symbol)", prepare: "with(prepare:)", decode: "with(decode:)", parameters: "values after the SQL", params: "values after the SQL",
        binds: "values after the SQL", values: "values after the SQL"
      }.freeze
      private_constant :LONGEST, :OTHERS

      module_function

      # @param unknown [Hash{Symbol => Object}] keywords that were given
      # @param methods [Array<UnboundMethod>] the one that was called, and those to which it passes keywords
      # @raise [ArgumentError]
      def refuse(unknown, *methods)
        raise ArgumentError, message(methods, unknown.keys.first)
      end

      # For a method that takes SQL: a parameter of the statement may have been meant.
      #
      # @raise [ArgumentError] as {refuse}
      def refuse_values(unknown, method)
        name = shown(unknown.keys.first)
        raise ArgumentError, "unknown keyword: :#{name}: use #{OTHERS[name.to_sym]}" if OTHERS.key?(name.to_sym)

        raise ArgumentError, "#{message([method], unknown.keys.first)}: a value for :name is written in braces, " \
                             "#{method.name}(sql, { #{name}: value }), and one for $1 alone, #{method.name}(sql, value)"
      end

      # For a script, which cannot have parameters.
      #
      # @raise [ArgumentError]
      def refuse_script_values
        raise ArgumentError, "execute_script takes SQL alone: a statement with values is run by query(sql, *values), and several by " \
                             "batch { |batch| batch.query(sql, *values) }"
      end

      def message(methods, name)
        known = methods.flat_map(&:parameters).filter_map { |kind, keyword| keyword if %i[key keyreq].include?(kind) }
        spelling = DidYouMean::SpellChecker.new(dictionary: known).correct(name).first if name.size <= LONGEST
        "unknown keyword: :#{shown(name)}#{", did you mean #{spelling}:?" if spelling} (there are #{known.map { |keyword| "#{keyword}:" }.join(", ")})"
      end

      def shown(name) = name.to_s[0, LONGEST]

      private_class_method :message
    end
    private_constant :UnknownKeywords
  end
end
