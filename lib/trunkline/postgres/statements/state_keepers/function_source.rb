# frozen_string_literal: true

require "strscan"
require_relative "../comments"
require_relative "../session_effect"
require_relative "../statements"

module Trunkline
  module Postgres
    module StateKeepers
      # The text of a function: whether one of its statements, or of the strings that it may run as SQL, keeps state in the session. PL/pgSQL and SQL
      # are split into statements; in other languages, strings and lines are checked. Every pattern reads a text once.
      class FunctionSource # :nodoc:
        # The start of a string or comment, the end of a statement, or a word before one.
        TOKEN = %r{--[^\n]*+|(?<comment>/\*)|(?<![[:alnum:]_$])(?<dollars>\$(?:[[:alpha:]_][[:alnum:]_]*+)?\$)|
                   (?<![[:alnum:]_$])[eE]'(?<escaped>(?:[^'\\]|\\.|'')*+)'|'(?<string>(?:[^']|'')*+)'|"(?:[^"]|"")*+"|(?<end>;)|
                   (?<word>\b(?:BEGIN|THEN|ELSE|LOOP|EXECUTE|DO)\b)}mix
        # Words that precede a statement in a block of PL/pgSQL.
        BEGINNINGS = %w[BEGIN THEN ELSE LOOP].freeze
        # A string to which the rest of a command is appended.
        BEGUN = /\A\s*+(?:SET|RESET|LISTEN|UNLISTEN|LOAD|DISCARD|PREPARE|DEALLOCATE|SET\s++SESSION)\s++\z/i
        # Words of PL/pgSQL, or whose effect ends with the transaction.
        PASSING = %w[close declare do execute fetch lock move].freeze
        TEMPORARY = %w[temp temporary].freeze
        LOCAL = /\A\s*+SET\s++(?:LOCAL|TRANSACTION|CONSTRAINTS)\b/i
        HELD = /\bWITH\s++HOLD\b/i
        DROPPED = /\bON\s++COMMIT\s++DROP\b/i
        # Commands for which event triggers run.
        COMMAND = /\A\s*+(?:ALTER|COMMENT|CREATE|DROP|GRANT|IMPORT|REASSIGN|REFRESH|REINDEX|REVOKE|SECURITY)\b/i
        LANGUAGES = %w[plpgsql sql].freeze
        # State that interpreters of other languages share between all functions of a session.
        INTERPRETER = /%_SHARED\b|\$_SHARED\b|\b[GS]D\s*+\[/
        # In other languages: a command at the beginning of a string or line, and a name anywhere.
        BEGINS_COMMAND = /(?:\A|["'`{(\n])[^\S\n]*+(?:SET\s++(?!LOCAL\b)|RESET\s|LISTEN\s|LOAD\s|PREPARE\s|DECLARE\s|CREATE\s++(?:LOCAL\s++|GLOBAL\s++)?TEMP)/i
        NAME = /[[:alpha:]_][[:alnum:]_$]*+/
        # Commands in strings within such strings are searched as deep as this, which bounds the time: each is parsed once more.
        DEEPEST = 3
        private_constant(*constants(false))

        # @param text [String]
        # @param language [String]
        # @param parameters [Array<String>] names of the function's parameters
        def initialize(text, language = "plpgsql", parameters = [], depth = 0)
          @text = text.scrub
          @language = language
          @parameters = parameters.map(&:downcase)
          @depth = depth
        end

        # @param keepers [Array<Array>] what keeps state besides the known functions, see Statement.new
        # @return [Symbol, nil] :lasting, only the end of the session resets it; :passing; nil: nothing is kept
        def effect(keepers)
          return foreign_effect(keepers) unless LANGUAGES.include?(@language)

          named, commands = keepers.partition { |keeper| keeper[2] != :command }
          effects = statements.map { |whole, tail| statement_effect(whole, tail, named, commands) }
          effects.concat(strings.map { |text| string_effect(text, keepers) }) if @runs_strings
          worst(effects)
        end

        private

        def worst(effects) = %i[lasting passing].find { |effect| effects.include?(effect) }

        def statements
          read unless @statements
          @statements
        end

        def strings
          read unless @statements
          @strings
        end

        # Collects each statement as a whole, and without the words that may precede it.
        def read
          @statements = []
          @strings = []
          scanner = StringScanner.new(@text)
          from = tail = 0
          while scanner.skip_until(TOKEN)
            if scanner[:end]
              keep_statement(from, tail, scanner.pos - 1)
              from = tail = scanner.pos
            elsif scanner[:word]
              BEGINNINGS.include?(scanner[:word].upcase) ? tail = scanner.pos : @runs_strings = true
            else
              skip_rest(scanner)
            end
          end
          keep_statement(from, tail, @text.bytesize)
        end

        def keep_statement(from, tail, to) = @statements.push([@text.byteslice(from...to), @text.byteslice(tail...to)])

        # Skips what the token has begun.
        def skip_rest(scanner)
          return Comments.skip(scanner) if scanner[:comment]
          return skip_dollars(scanner, scanner[:dollars]) if scanner[:dollars]

          text = scanner[:string]&.gsub("''", "'") || scanner[:escaped]&.gsub(/''|\\(.)/m) { Regexp.last_match(1)&.tr("bfnrt", " ") || "'" }
          @strings.push(text) if text
        end

        def skip_dollars(scanner, delimiter)
          text = scanner.scan_until(Regexp.new(Regexp.escape(delimiter)))
          text ? @strings.push(text.delete_suffix(delimiter)) : scanner.terminate
        end

        # The statement is classified as part of a query, which shows what it calls and names.
        def statement_effect(whole, tail, keepers, commands)
          query = Statement.new(-"SELECT #{whole}", 0, keepers)
          calls = query.classification == :session && !TEMPORARY.include?(query.culprit.downcase)
          return unless calls || changes_session?(tail, keepers) || (!commands.empty? && tail.match?(COMMAND)) || runs_parameter?(whole)

          query.effect == :lasting || SessionEffect.lasting?(whole) || commands.any? { |keeper| keeper[3] } ? :lasting : :passing
        end

        def changes_session?(sql, keepers)
          statement = Statement.new(-sql, 0, keepers)
          case statement.classification
          when :setting then !sql.match?(LOCAL)
          when :listen then true
          when :session then sql.match?(HELD) || (!PASSING.include?(statement.culprit.downcase) && !sql.match?(DROPPED))
          else false
          end
        end

        # EXECUTE of a parameter.
        def runs_parameter?(sql)
          run = sql.match(/\bEXECUTE\s++(?:\(\s*+)?(\$\d|TG_ARGV\b|#{NAME})/i) or return false
          run[1].start_with?("$") || @parameters.include?(run[1].downcase) || run[1].casecmp?("TG_ARGV")
        end

        # A string of one word is a value, unless a command begins with it.
        def string_effect(text, keepers)
          return (SessionEffect.lasting?(@text) ? :lasting : :passing) if text.match?(BEGUN)

          FunctionSource.new(text, @language, [], @depth + 1).effect(keepers) if @depth < DEEPEST && text.match?(/\w\s++\S/)
        end

        def foreign_effect(keepers)
          return :lasting if @text.match?(INTERPRETER)

          named = keepers.reject { |keeper| keeper[2] == :operator }.to_h { |keeper| [keeper[1], keeper[3]] }
          found = @text.scan(NAME).select { |name| named.key?(name) || StateKeepers.listed?(name.downcase) }
          return if found.empty? && !@text.match?(BEGINS_COMMAND)

          found.any? { |name| named[name] } || SessionEffect.lasting?(@text) ? :lasting : :passing
        end
      end
      private_constant :FunctionSource
    end
  end
end
