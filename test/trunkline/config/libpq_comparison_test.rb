# frozen_string_literal: true

require "test_helper"
require "pg"

module Trunkline
  class Config
    # Random connection strings, most of them nearly right, mean the same to libpq.
    class LibpqComparisonTest < TestCase
      COUNT = 1000
      NAMES = %w[host port user password dbname application_name connect_timeout].freeze
      TEXTS = ["a", "b c", "it's", "c:\\d", "", "é", "=", "x\ty", "%", "'", "\\", "5432"].freeze
      DISTURBANCES = ["'", "\\", "=", " ", "\n", "a", "é"].freeze
      URI_DISTURBANCES = ["%", "/", ":", "?", "&", "=", "[", "]", "a", "%4", "%41", "é"].freeze

      def setup
        @random = Random.new(Minitest.seed)
      end

      def test_keywords_and_values
        COUNT.times { compare(Conninfo, disturbed(conninfo, DISTURBANCES)) }
      end

      def test_uris
        COUNT.times { compare(URI, pick(%w[postgres:// postgresql://]) + path(disturbed(uri, URI_DISTURBANCES))) }
      end

      private

      # A "@" after a "/" is refused by us alone.
      def path(uri) = uri.match?(%r{/.*@}m) ? uri.delete("@") : uri

      def compare(parser, string)
        assert_equal libpq(string), ours(parser, string), "differs from libpq: #{string.inspect}"
      end

      def libpq(string)
        PG::Connection.conninfo_parse(string).filter_map { |option| [option[:keyword], option[:val].b] if option[:val] }.to_h
      rescue PG::Error
        :refused
      end

      def ours(parser, string)
        parser.parse(string.b).each { |name, value| Options.check(name, value, "") }
      rescue ConfigError
        :refused
      end

      def pick(list) = list[@random.rand(list.size)]

      def maybe = @random.rand < 0.6 ? yield : ""

      def conninfo
        Array.new(@random.rand(4)) { "#{pick(NAMES)}#{blank}=#{blank}#{pick([method(:quoted), method(:bare)]).call(pick(TEXTS))}" }
             .join(pick([" ", "\n", "  \t"])) + blank
      end

      def blank = pick(["", "", " ", "\t "])

      def quoted(text) = "'#{text.gsub(/['\\]/) { |character| "\\#{character}" }}'"

      def bare(text) = text.gsub(/[\\\s]/) { |character| "\\#{character}" }

      def uri
        user = maybe { encoded(pick(TEXTS)) + maybe { ":#{encoded(pick(TEXTS))}" } + "@" }
        host = maybe { pick(["localhost", "10.0.0.1", "[::1]", "[fe80::1%251]", "%2Ftmp", "h%C3%A9"]) }
        "#{user}#{host}#{maybe { ":#{pick(%w[1 5432])}" }}#{maybe { "/#{encoded(pick(TEXTS))}" }}#{maybe { "?#{parameters}" }}"
      end

      def parameters = Array.new(@random.rand(3)) { "#{pick(NAMES)}=#{encoded(pick(TEXTS))}" }.join("&")

      # Everything but letters and digits; blanks at the ends of a part mean different things to different versions.
      def encoded(text) = text.strip.b.gsub(/[^a-z0-9]/n) { |byte| format("%%%02X", byte.ord) }

      def disturbed(string, disturbances)
        @random.rand(3).times do
          position = @random.rand(string.size + 1)
          @random.rand < 0.5 ? string.insert(position, pick(disturbances)) : string.slice!(position)
        end
        string
      end
    end
  end
end
