# frozen_string_literal: true

module Trunkline
  module Postgres
    # Keywords that a method does not have: the error names the nearest of those that it has, and tells where a value for :name belongs, which Ruby's own
    # does not. For that Ruby makes an empty Hash at each call: one object of a query, and 40 to 100 ns of some 5 us. With ruby2_keywords it makes none, but
    # a call with a deadline takes 70 to 180 ns more than with the Hash, and neither the reference nor signatures would see the keywords.
    module UnknownKeywords # :nodoc:
      # Longer names are compared with none: that takes long.
      LONGEST = 100
      private_constant :LONGEST

      module_function

      # @param unknown [Hash{Symbol => Object}] keywords that were given
      # @param methods [Array<UnboundMethod>] which was called, and those that it hands keywords on to
      # @raise [ArgumentError]
      def refuse(unknown, *methods)
        raise ArgumentError, message(methods, unknown.keys.first)
      end

      # Of a method that takes SQL: a parameter of the statement may have been meant.
      #
      # @raise [ArgumentError] as {refuse}
      def refuse_values(unknown, method)
        name = shown(unknown.keys.first)
        raise ArgumentError, "#{message([method], unknown.keys.first)}: a value for :name is written in braces, " \
                             "#{method.name}(sql, { #{name}: value }), and one for $1 alone, #{method.name}(sql, value)"
      end

      def message(methods, name)
        known = methods.flat_map(&:parameters).filter_map { |kind, keyword| keyword if %i[key keyreq].include?(kind) }
        spelling = DidYouMean::SpellChecker.new(dictionary: known).correct(name).first if name.size <= LONGEST
        "unknown keyword: :#{shown(name)}#{", did you mean #{spelling}:?" if spelling} (there are #{known.map { |keyword| "#{keyword}:" }.join(", ")})"
      end

      def shown(name) = name.to_s[0, LONGEST]

      private_class_method :message, :shown
    end
    private_constant :UnknownKeywords
  end
end
