# frozen_string_literal: true

module Trunkline
  module Postgres
    # The body of an ErrorResponse or NoticeResponse.
    module ErrorFields
      NAMES = {
        "S" => :severity, "V" => :severity, "C" => :sqlstate, "M" => :message, "D" => :detail, "H" => :hint,
        "P" => :position, "p" => :internal_position, "q" => :internal_query, "W" => :where, "s" => :schema,
        "t" => :table, "c" => :column, "d" => :datatype, "n" => :constraint, "F" => :file, "L" => :line,
        "R" => :routine
      }.freeze
      NUMBERS = %i[position internal_position line].freeze
      private_constant :NAMES, :NUMBERS

      module_function

      # Lenient, since half an error is better than none: unknown letters are left out, what is not UTF-8 (a server that
      # fails before it knows the client's encoding) is replaced, a missing end does no harm.
      #
      # @param bytes [String] letter, text, NUL; letter, text, NUL; ... NUL
      # @return [Hash{Symbol => String, Integer}] see {ServerError#fields}; positions and line are Integers; the
      #   severity is the untranslated one where the server sends it (since 9.6)
      def parse(bytes)
        bytes.b.split("\0").each_with_object({}) do |field, fields|
          name = NAMES[field[0]] or next
          next if field[0] == "S" && fields.key?(:severity)

          fields[name] = value(name, field[1..])
        end
      end

      def value(name, bytes)
        text = bytes.force_encoding(Encoding::UTF_8).scrub
        (NUMBERS.include?(name) && Integer(text, 10, exception: false)) || text
      end

      private_class_method :value
    end
  end
end
