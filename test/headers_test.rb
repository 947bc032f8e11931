# frozen_string_literal: true

require "test_helper"
require "support/ruby_callers"

# What a C header declares has a comment above it, of its own or of the group of lines that it stands in; and one that may run Ruby says so there, or in
# the comment at the header's top.
class HeadersTest < Trunkline::TestCase
  DECLARATION = /\A(?:NORETURN\()?(?:static inline |extern )?[a-zA-Z]\w*(?: \w+)* \*?(\w+)\(.*(?:;| \{|,)/
  SAYS_SO = /\b(?:run|call)s? Ruby\b/i
  ALL_DO = %r{\A/\*(?:(?!\*/).)*\bEach function here (?:runs|may run) Ruby}m
  SAYS_NOT = /\b(?:run|call)s no Ruby(?! but)\b/i
  ROOT = File.expand_path("..", __dir__)
  SOURCES = Dir.glob("ext/trunkline/**/*.{c,h}", base: ROOT).sort.to_h { |path| [path, File.read(File.join(ROOT, path))] }.freeze
  private_constant :DECLARATION, :SAYS_SO, :ALL_DO, :SAYS_NOT, :ROOT, :SOURCES

  def test_each_declaration_has_a_comment
    assert_operator headers.size, :>, 80
    assert_empty(headers.flat_map { |path, text| declared(text).select { |_, comment| comment.empty? }.map { |name,| "#{path}: #{name}" } })
  end

  # Whatever was read before such a call may have changed behind it.
  def test_what_may_run_ruby_says_so
    callers = RubyCallers.new(SOURCES).names
    assert_operator callers.size, :>, 60
    silent = headers.flat_map do |path, text|
      may = declared(text).select { |name,| callers.include?(name) && !name.start_with?("Init_") }
      may.reject { |_, comment| comment.match?(SAYS_SO) || text.match?(ALL_DO) }.map { |name,| "#{path}: #{name}" }
    end
    assert_empty silent
  end

  def test_what_runs_no_ruby_does_not
    callers = RubyCallers.new(SOURCES).names
    wrong = headers.flat_map { |path, text| declared(text).select { |name, comment| callers.include?(name) && comment.match?(SAYS_NOT) }.map { |name,| "#{path}: #{name}" } }
    assert_empty wrong
  end

  def test_what_it_takes_for_one
    text = "/* Adds. */\nint add(int a);\nVALUE more(void); /* and more */\n\nVALUE bare(void);\nstatic inline bool also(int a) {\n    return run(a);\n}\n\n" \
           "/* Of several\n * lines. */\nstatic inline bool well(int a) {\n"
    assert_equal({ "add" => "/* Adds. */", "more" => "/* Adds. */", "bare" => "", "also" => "", "well" => "/* Of several\n * lines. */" }, declared(text).to_h)
  end

  def test_which_functions_run_ruby
    sources = {
      "a.c" => "static void call(VALUE it) { rb_funcall(it, id, 0); }\n\nvoid one(VALUE it) {\n    call(it);\n}\n\nvoid none(VALUE it) { it->call(it); }\n",
      "b.c" => "/* call(it) */\nstatic void call(VALUE it) {\n    print(\"one(it)\");\n}\n\nvoid two(VALUE it) { call(it); }\n\nvoid three(VALUE it) { two(it), one(it); }\n"
    }
    assert_equal %w[call one three], RubyCallers.new(sources).names.sort
  end

  private

  def headers = SOURCES.select { |path,| path.end_with?(".h") }

  # @return [Array<Array(String, String)>] the name of each function and the comment above it, which may be empty
  def declared(text)
    comment, within = "", false
    text.lines(chomp: true).filter_map do |line|
      if within || line.start_with?("/*")
        comment = within ? "#{comment}\n#{line}" : line
        within = !line.end_with?("*/")
        next
      end
      comment = "" if line.empty?
      [line[DECLARATION, 1], comment] if line.match?(DECLARATION)
    end
  end
end
