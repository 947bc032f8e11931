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
      BY_BYTE = NAMES.transform_keys(&:ord).freeze
      NUMBERS = %w[P p L].to_h { |letter| [letter.ord, true] }.freeze
      LOCALISED_SEVERITY = "S".ord
      private_constant :NAMES, :BY_BYTE, :NUMBERS, :LOCALISED_SEVERITY

      module_function

      # Lenient, since half an error is better than none: unknown letters are left out, what is not UTF-8 (a server that
      # fails before it knows the client's encoding) is replaced, a missing end does no harm.
      #
      # @param bytes [String] letter, text, NUL; letter, text, NUL; ... NUL
      # @return [Hash{Symbol => String, Integer}] see {ServerError#fields}; positions and line are Integers; the
      #   severity is the untranslated one where the server sends it (since 9.6)
      def parse(bytes)
        text = bytes.dup.force_encoding(Encoding::UTF_8)
        return parse_each(text) { |field| field } if text.valid_encoding?

        parse_each(bytes.b) { |field| field.force_encoding(Encoding::UTF_8).scrub }
      end

      def parse_each(text)
        fields = {}
        text.split("\0").each do |field|
          letter = field.getbyte(0)
          name = BY_BYTE[letter] or next
          next if letter == LOCALISED_SEVERITY && fields.key?(:severity)

          value = yield(field.byteslice(1, field.bytesize))
          fields[name] = (NUMBERS[letter] && Integer(value, 10, exception: false)) || value
        end
        fields
      end

      private_class_method :parse_each
    end
  end
end
