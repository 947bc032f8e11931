# frozen_string_literal: true

require "strscan"

# A script for psql, split into what it sends, one statement at a time. It implements psql's commands that set variables, connect and end statements;
# the others are skipped, and what they would have stored in variables is not known.
class PsqlScript
  # kind [Symbol] :statement, :copy_in or :connect; text [String] SQL, or the role to connect as (nil: as before); data [String] behind a COPY
  Step = Struct.new(:kind, :text, :data)

  QUOTED = /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"/m
  DOLLARS = /\$(?:[A-Za-z_]\w*)?\$/
  COMMENT = %r{/\*|\*/}
  # A body in SQL, between BEGIN ATOMIC and END, has semicolons in it.
  ROUTINE = /\A\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE)\b/i
  COPY_IN = /\A\s*COPY\b.*\bFROM\s+std(?:in|out)/im
  END_OF_DATA = /^\\\.[ \t]*(?:\n|\z)/
  SENDING = %w[g gx gset gexec gdesc crosstabview].freeze
  private_constant :QUOTED, :DOLLARS, :COMMENT, :ROUTINE, :COPY_IN, :END_OF_DATA, :SENDING

  # @param text [String] the script
  # @param environment [Hash{String => String}] for \getenv
  def initialize(text, environment = {})
    @scanner = StringScanner.new(text)
    @environment = environment
    @variables = {}
    @steps = []
    begin_statement
  end

  # @return [Array<Step>]
  def steps
    scan until @scanner.eos?
    finish_statement
    @steps
  end

  private

  def begin_statement
    @statement = +""
    @parentheses = @blocks = 0
  end

  def scan
    if @scanner.skip(/--[^\n]*/) then nil
    elsif @scanner.skip(%r{/\*}) then skip_comment
    elsif @scanner.scan(QUOTED) || @scanner.scan(/::/) then @statement << @scanner.matched
    elsif @scanner.scan(DOLLARS) then @statement << @scanner.matched << dollar_quoted(@scanner.matched)
    elsif @scanner.scan(/:(['"]?)(\w+)\1/) then @statement << variable(@scanner.matched, @scanner[1], @scanner[2])
    elsif @scanner.scan(/\\([^\n]*)/) then command(@scanner[1])
    elsif @scanner.scan(/[A-Za-z_][\w$]*/) then word(@scanner.matched)
    else
      character(@scanner.getch)
    end
  end

  # Comments can be nested.
  def skip_comment
    depth = 1
    depth += @scanner.matched == "/*" ? 1 : -1 while depth.positive? && @scanner.skip_until(COMMENT)
    @scanner.terminate if depth.positive?
    @statement << " "
  end

  def dollar_quoted(tag)
    @scanner.scan_until(/#{Regexp.escape(tag)}/) || @scanner.rest.tap { @scanner.terminate }
  end

  def variable(written, quote, name)
    value = @variables.fetch(name) { return written }
    "#{quote}#{value.gsub(quote, quote * 2)}#{quote}"
  end

  def word(word)
    @statement << word
    return unless ROUTINE.match?(@statement)

    case word.upcase
    when "BEGIN" then @blocks += 1
    when "CASE" then @blocks += 1 if @blocks.positive?
    when "END" then @blocks -= 1 if @blocks.positive?
    end
  end

  def character(character)
    return finish_statement if character == ";" && @parentheses.zero? && @blocks.zero?

    @parentheses += 1 if character == "("
    @parentheses -= 1 if character == ")" && @parentheses.positive?
    @statement << character
  end

  def finish_statement
    sql = @statement.strip
    begin_statement
    return if sql.empty?

    @steps << (COPY_IN.match?(sql) ? Step.new(:copy_in, sql, data) : Step.new(:statement, sql))
  end

  # The data behind a COPY's line, up to a line of a backslash and a full stop.
  def data
    @scanner.skip(/[^\n]*\n/)
    (@scanner.scan_until(END_OF_DATA) || "").sub(/#{END_OF_DATA}\z/, "")
  end

  def command(text)
    name, *arguments = text.split
    case name
    when "getenv" then @variables[arguments[0]] = @environment[arguments[1]].to_s
    when "set" then set(*arguments)
    when "c", "connect" then connect(arguments[1])
    when *SENDING then finish_statement
    when /\A;/ then @statement << ";"
    end
  end

  def set(name = nil, *values)
    @variables[name] = values.map { |value| value.start_with?(":") ? @variables[value[1..]].to_s : value.delete("'") }.join if name
  end

  def connect(role)
    finish_statement
    @steps << Step.new(:connect, role)
  end
end
