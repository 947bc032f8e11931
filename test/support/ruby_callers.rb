# frozen_string_literal: true

# Which functions of the extension may run Ruby, and so other fibers and threads: those that call a function of Ruby's C interface which does, or one of the
# extension's that may. They are found in the text of the sources. What only raises an exception does not count.
class RubyCallers
  # Of Ruby's C interface; and the decoders, codecs' receive and readers of rows, which are called through pointers.
  RUNS_RUBY = /
    \brb_(?:funcall|yield|block_call|class_new_instance|obj_call_init|check_funcall|thread_wait|thread_sleep)\w*\( |
    \brb_(?:inspect|io_wait|ensure|rescue2?|protect)\( | ->(?:text|binary|read|receive)\(
  /x
  RAISES = /\b(?:protocol_error|row_memory_exceeded|rb_exc_raise)\(/
  COMMENT = %r{/\*.*?\*/}m
  STRING = /"(?:\\.|[^"\\])*"/
  # A definition at the beginning of a line: its name and body, which ends on the same line or with a brace of its own.
  DEFINITION = /^(?!typedef|struct|enum)[a-zA-Z][\w *]*?\b(\w+)\([^;{}]*?\)\s*\{(?:([^\n]*)\}$|(.*?)^\})/m
  CALL = /(?<![.>\w])([a-z]\w*)(?=\()/
  private_constant :RUNS_RUBY, :RAISES, :COMMENT, :STRING, :DEFINITION, :CALL

  # @param sources [Hash{String => String}] texts by file
  def initialize(sources)
    @bodies = sources.each_with_object({}) do |(file, text), bodies|
      text.gsub(COMMENT, "").gsub(STRING, '""').scan(DEFINITION) { |name, line, lines| bodies[[name, file]] = line || lines }
    end
    @files = @bodies.keys.group_by(&:first).transform_values { |keys| keys.map(&:last) }
    @found = found
  end

  # @return [Array<String>] their names
  def names = @found.map(&:first).uniq

  private

  def found
    calls = @bodies.to_h { |key, body| [key, called(body, key.last)] }
    found = @bodies.select { |_, body| body.match?(RUNS_RUBY) && !body.match?(RAISES) }.keys
    until (more = calls.reject { |key, called| found.include?(key) || (called & found).empty? }.keys).empty?
      found += more
    end
    found
  end

  # A function of the same file goes before one of the same name elsewhere.
  def called(body, file)
    body.scan(CALL).flatten.uniq.filter_map do |name|
      files = @files[name] or next
      [name, files.include?(file) ? file : files.first]
    end
  end
end
