# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    class Authentication
      class SASLprepTest < TestCase
        def assert_prepared(expected, password)
          assert_equal expected.b, SASLprep.call(password), password.inspect
        end

        def assert_raw(password) = assert_prepared(password, password)

        def test_ascii_stays
          ["user", "USER", " a b ", "\a\x7F", ""].each { |password| assert_raw password }
        end

        def test_what_looks_alike_becomes_alike
          assert_prepared "IX", "I\u00ADX"
          assert_prepared "a", "\u00AA"
          assert_prepared "IX", "\u2168"
          assert_prepared "\u00E9", "e\u0301"
          assert_prepared "a b", "a\u00A0b"
          assert_prepared "a b", "a\u200Bb"
          assert_prepared "a b", "a b\u200D"
        end

        def test_what_is_forbidden_is_taken_as_it_is
          ["\u00AA\a", "\u00AA\u0085", "\u00AA\uE000", "\u00AA\uFDD0", "\u00AA\uFFFD", "\u00AA\u2FF0", "\u00AA\u202E",
           "\u00AA\u{E0041}", "\u00AA\u{10FFFE}", "\u00AD"].each { |password| assert_raw password }
        end

        def test_what_came_after_unicode_3_2_is_taken_as_it_is
          assert_raw "e\u0301\u{1F600}"
        end

        def test_what_is_no_utf8_is_taken_as_it_is
          assert_raw "e\u0301\xFF"
          assert_raw "\xE9".b
          assert_prepared "\u00E9", "e\u0301".b
        end

        def test_directions_do_not_mix
          assert_prepared "\u0627 1\u0628", "\u0627\u00A01\u0628"
          assert_raw "\u0627\u00A01"
          assert_raw "1\u00A0\u0628"
          assert_raw "\u0627\u00A0a\u0628"
        end
      end
    end
  end
end
