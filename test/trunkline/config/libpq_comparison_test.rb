# frozen_string_literal: true

require "test_helper"
require "pg"
require_relative "libpq_differences"

module Trunkline
  class Config
    # Random connection strings, most of them nearly right, mean the same to libpq, or differ for a reason that is listed.
    class LibpqComparisonTest < TestCase
      COUNT = 3000
      NAMES = [*Options.names, "requiressl", "ssl", "prot", "Host"].freeze
      TEXTS = ["a", "b c", "it's", "c:\\d", "", "é", "=", "x\ty", "%", "'", "\\", "5432", "1", "true", "a,b", ",", "/tmp", "::1"].freeze
      DISTURBANCES = ["'", "\\", "=", " ", "\n", ",", "a", "é"].freeze
      URI_DISTURBANCES = ["%", "/", ":", "?", "&", "=", "[", "]", "@", ",", " ", "\t", "a", "%4", "%41", "%00", "é"].freeze
      private_constant :COUNT, :NAMES, :TEXTS, :DISTURBANCES, :URI_DISTURBANCES

      def setup
        @random = Random.new(Minitest.seed)
        @taken = 0
      end

      # Strings that both refuse prove little.
      def teardown = assert_operator(@taken, :>, COUNT / 4)

      def test_keywords_and_values
        COUNT.times { compare(Conninfo, disturbed(conninfo, DISTURBANCES)) }
      end

      def test_uris
        COUNT.times { compare(URI, pick(%w[postgres:// postgresql://]) + disturbed(uri, URI_DISTURBANCES)) }
      end

      private

      def compare(parser, string)
        libpq = libpq(string)
        ours = ours(parser, string)
        @taken += 1 if ours != :refused
        return if libpq == ours || LIBPQ_DIFFERENCES.each_value.any? { |applies| applies.call(string, libpq) }

        flunk "#{string.inspect} is #{ours} here, and #{libpq} to libpq"
      end

      def libpq(string)
        ::PG::Connection.conninfo_parse(string).filter_map { |option| [option[:keyword], option[:val].b] if option[:val] }.to_h
      rescue ::PG::Error
        :refused
      end

      def ours(parser, string)
        parser.parse(string.b).each_key { |name| Options.check(name, "", "") }
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
        hosts = Array.new(pick([1, 1, 1, 2, 3])) { maybe { host } + maybe { ":#{pick(%w[1 5432])}" } }
        "#{user}#{hosts.join(",")}#{maybe { "/#{encoded(pick(TEXTS))}" }}#{maybe { "?#{parameters}" }}"
      end

      def host = pick(["localhost", "10.0.0.1", "[::1]", "[fe80::1%251]", "%2Ftmp", "h%C3%A9", "a%2Cb"])

      def parameters = Array.new(@random.rand(3)) { "#{pick(NAMES)}=#{encoded(pick(TEXTS))}" }.join("&")

      # Everything but letters and digits.
      def encoded(text) = text.b.gsub(/[^a-z0-9]/n) { |byte| format("%%%02X", byte.ord) }

      def disturbed(string, disturbances)
        pick([0, 0, 1, 2]).times do
          position = @random.rand(string.size + 1)
          @random.rand < 0.5 ? string.insert(position, pick(disturbances)) : string.slice!(position)
        end
        string
      end
    end
  end
end
