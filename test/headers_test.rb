# frozen_string_literal: true

require "test_helper"

# What a C header declares has a comment above it, of its own or of the group of lines that it stands in.
class HeadersTest < Trunkline::TestCase
  DECLARATION = /\A(?:static inline |extern )?[a-z]\w*(?: \w+)* \*?\w+\(.*\)(?:;| \{)/
  ROOT = File.expand_path("..", __dir__)
  private_constant :DECLARATION, :ROOT

  def test_each_declaration_has_a_comment
    headers = Dir.glob("ext/trunkline/**/*.h", base: ROOT)
    assert_operator headers.size, :>, 80
    assert_empty(headers.flat_map { |path| undocumented(File.readlines(File.join(ROOT, path), chomp: true)).map { |line| "#{path}: #{line}" } })
  end

  def test_what_it_takes_for_one
    lines = ["/* Adds. */", "int add(int a);", "void more(void); /* and more */", "", "int bare(void);", "static inline bool also(int a) {", "    return run(a);", "}", "",
             "/* Of several", " * lines. */", "static inline bool well(int a) {"]
    assert_equal ["int bare(void);", "static inline bool also(int a) {"], undocumented(lines)
  end

  private

  def undocumented(lines)
    commented = false
    lines.select do |line|
      declares = line.match?(DECLARATION)
      commented = line.end_with?("*/") || (commented && !line.empty?) unless declares
      declares && !commented
    end
  end
end
