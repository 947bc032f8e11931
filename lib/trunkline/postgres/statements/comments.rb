# frozen_string_literal: true

require "strscan"

module Trunkline
  module Postgres
    # The comments within SQL. A text is read once, however its quotes and comments are nested or unterminated.
    module Comments # :nodoc:
      # A literal, a quoted name, a comment of one line, or the beginning of one that may be nested. An unterminated one includes all that follows.
      TOKEN = %r{'(?:[^']|'')*+'|"(?:[^"]|"")*+"|\$(?<tag>(?:[[:alpha:]_]\w*+)?)\$.*?(?:\$\k<tag>\$|\z)|(?<line>--[^\n]*+)|(?<block>/\*)}m
      EDGE = %r{/\*|\*/}
      private_constant :TOKEN, :EDGE

      module_function

      # @param sql [String]
      # @yieldparam quoted [String] a literal or a quoted name
      # @yieldreturn [String] its replacement; without a block it is unchanged
      # @return [String] with a space for each comment
      def remove(sql)
        scanner = StringScanner.new(sql)
        text = +""
        from = 0
        while scanner.skip_until(TOKEN)
          text << sql.byteslice(from, scanner.pos - scanner.matched_size - from)
          text << in_place_of(scanner) { |quoted| block_given? ? yield(quoted) : quoted }
          from = scanner.pos
        end
        text << sql.byteslice(from..)
      end

      # Skips a comment that may contain others, to the end of the text if it is unterminated.
      #
      # @param scanner [StringScanner] after the beginning of the comment
      def skip(scanner)
        depth = 1
        depth += scanner.matched == "/*" ? 1 : -1 while depth.positive? && scanner.skip_until(EDGE)
        scanner.terminate if depth.positive?
      end

      def in_place_of(scanner)
        return yield(scanner.matched) unless scanner[:line] || scanner[:block]

        skip(scanner) if scanner[:block]
        " "
      end

      private_class_method :in_place_of
    end
    private_constant :Comments
  end
end
