# frozen_string_literal: true

require "strscan"

module Trunkline
  class Config
    # Parses `keyword = value` strings by libpq's rules: values end at white space unless they stand in single quotes, a
    # backslash takes the next character as it is, the last of equal keywords counts.
    #
    # Messages name positions, never text: what follows a quoting mistake may be the rest of a password.
    class Conninfo
      # The characters of C's isspace.
      SPACE = /[ \t\n\v\f\r]*/
      NAME = /[^= \t\n\v\f\r]*/
      BARE = /(?:\\.|[^\\ \t\n\v\f\r])*\\?/m
      QUOTED = /\A'((?:\\.|[^\\'])*+)'/m
      private_constant :SPACE, :NAME, :BARE, :QUOTED

      # @param string [String] "host=localhost dbname='my app'", as bytes
      # @return [Hash{String => String}] names and values, not yet checked
      # @raise [ConfigError] on bad syntax
      def self.parse(string) = new(string).parse

      def initialize(string)
        @scanner = StringScanner.new(string)
      end

      def parse
        pairs = {}
        @scanner.skip(SPACE)
        until @scanner.eos?
          Options.store(pairs, scan_name, scan_value)
          @scanner.skip(SPACE)
        end
        pairs
      end

      private

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

      # A backslash that ends the string stands for nothing.
      def unescape(text) = text.gsub(/\\(.?)/m, '\1')

      def fail_at(position, what)
        raise ConfigError, "bad connection string: #{what}, at byte #{position + 1}"
      end
    end

    private_constant :Conninfo
  end
end
