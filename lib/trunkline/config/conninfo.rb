# frozen_string_literal: true

require "strscan"

module Trunkline
  class Config
    # Parses `keyword = value` strings by libpq's rules: values end at white space unless they are in single quotes, a backslash escapes the next
    # character, the last of equal keywords applies.
    #
    # Messages contain positions, never text: what follows a quoting mistake may be the rest of a password.
    class Conninfo
      # Schemes of other kinds of servers, and of Rails.
      SCHEME = %r{\A[a-z][a-z0-9+.-]{0,19}://}
      # The characters of C's isspace.
      SPACE = /[ \t\n\v\f\r]*/
      NAME = /[^= \t\n\v\f\r]*/
      BARE = /(?:\\.|[^\\ \t\n\v\f\r])*\\?/m
      QUOTED = /\A'((?:\\.|[^\\'])*+)'/m
      private_constant :SCHEME, :SPACE, :NAME, :BARE, :QUOTED

      # @param string [String] "host=localhost dbname='my app'", as bytes
      # @return [Hash{String => String}] names and values, not yet checked
      # @raise [ConfigError] the syntax is invalid
      def self.parse(string) = new(string).parse

      def initialize(string)
        @scanner = StringScanner.new(string)
      end

      def parse
        refuse_others
        pairs = {}
        @scanner.skip(SPACE)
        until @scanner.eos?
          Options.store(pairs, scan_name, scan_value)
          @scanner.skip(SPACE)
        end
        pairs
      end

      private

      def refuse_others
        text = @scanner.string
        raise ConfigError, "bad connection string: it begins with #{text[SCHEME]}, and URIs of PostgreSQL begin with postgres:// or postgresql://" if SCHEME.match?(text)
        return if text.include?("=") || text.match?(/\A[ \t\n\v\f\r]*\z/)

        raise ConfigError, "bad connection string: it is neither a URI, as postgres://host/database, nor keywords, as host=... dbname=...; a database's " \
                           "name alone is written dbname: \"name\", a host's host: \"name\""
      end

      def scan_name
        start = @scanner.pos
        name = @scanner.scan(NAME)
        @scanner.skip(SPACE)
        return name if @scanner.skip(/=/)

        fail_at(start, 'a keyword without "=" after it (values that hold spaces need single quotes)')
      end

      def scan_value
        @scanner.skip(SPACE)
        return unescape(@scanner.scan(BARE)) unless @scanner.check(/'/)
        return unescape(@scanner[1]) if @scanner.scan(QUOTED)

        fail_at(@scanner.pos, "a quoted value without its closing quote")
      end

      # A backslash at the end of the string is ignored.
      def unescape(text) = text.gsub(/\\(.?)/m, '\1')

      def fail_at(position, what)
        raise ConfigError, "bad connection string: #{what}, at byte #{position + 1}"
      end
    end

    private_constant :Conninfo
  end
end
