# frozen_string_literal: true

require "ripper"

# Checks the values in the guides' programs: what a line returns, behind `# =>`, up to the explanation. Where something is left out (`...`), a String
# must begin as shown, and other objects are not checked.
#
#   db.value("SELECT count(*) FROM users")    # => 3, an Integer: values have the types of their columns
module ShownValues
  # Raised when a line returns something else.
  class Different < StandardError; end

  LINE = /^(?<code>\s*\S.*?)\s+# => (?<shown>.+)$/.freeze
  # Tokens of literals.
  LITERAL = %i[on_int on_float on_tstring_beg on_tstring_content on_tstring_end on_lbracket on_rbracket on_lbrace on_rbrace on_comma on_op on_sp
               on_symbeg on_label].freeze
  NAMED = %w[nil true false].freeze
  private_constant :LINE, :LITERAL, :NAMED

  module_function

  # @param program [String]
  # @return [String] that raises {Different} where a line does not return what it says; lines keep their numbers
  def checked(program)
    program.gsub(LINE) do |line|
      code, literal = $~[:code], literal($~[:shown])
      literal && Ripper.sexp(code) ? "ShownValues.check((#{code.strip}), #{literal})" : line
    end
  end

  # @return [Object] the value
  # @raise [Different]
  def check(value, shown)
    raise Different, "#{value.inspect} is not #{shown.inspect}" unless value == shown || shortened?(value, shown)

    value
  end

  # @return [String, nil] the longest beginning that is a literal
  def literal(shown)
    ends = shown.to_enum(:scan, /[,:;]?\s|\z/).map { $~.begin(0) }
    ends.reverse.map { |size| shown[0, size] }.find { |text| literal?(text) }
  end

  def literal?(text)
    return false unless Ripper.sexp(text) && (!text.include?("...") || text.match?(/\A"[^"]*\.\.\."\z/))

    tokens = Ripper.lex(text)
    tokens.each_with_index.all? do |(_, type, token), index|
      LITERAL.include?(type) || NAMED.include?(token) || (type == :on_ident && tokens[index - 1][1] == :on_symbeg)
    end
  end

  def shortened?(value, shown) = shown.is_a?(String) && shown.end_with?("...") && value.start_with?(shown.delete_suffix("..."))
  private_class_method :literal, :literal?, :shortened?
end
