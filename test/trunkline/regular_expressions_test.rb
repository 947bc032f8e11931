# frozen_string_literal: true

require "test_helper"
require "support/regexp_attack"

# A matcher holds the interpreter's lock, so that one that takes quadratic time for SQL or a server's text stops every thread.
class RegularExpressionsTest < Trunkline::TestCase
  LIBRARY = File.expand_path("../../lib", __dir__)
  private_constant :LIBRARY

  def test_none_takes_more_than_linear_time
    all = RegexpAttack.literals(LIBRARY)
    assert_operator all.size, :>, 50
    assert_equal({}, all.to_h { |regexp, place| [place, RegexpAttack.new(regexp).weakness] }.compact)
  end

  # Their parts are in no literal by themselves, or are harmless only by themselves.
  def test_none_that_is_made_of_others_takes_more
    Dir[File.join(LIBRARY, "trunkline/{postgres,memcached}/**/*.rb")].sort.each { |path| require path }
    all = RegexpAttack.composed(LIBRARY, Trunkline)
    assert_operator all.size, :>, 3
    assert_equal({}, all.to_h { |regexp, name| [name, RegexpAttack.new(regexp).weakness] }.compact)
  end

  def test_the_attack_finds_what_is_exponential_and_what_is_quadratic
    weak = [%r{\A(?:\s|--[^\n]*\n|/\*.*?\*/)*INSERT}m, /\A\s*;?\s*\z/, /"((?:[^"\\]|\\.)*)"=>/m, /(;?)\A\s*;?\s*\1\z/]
    weak.reject { |regexp| memoized?(regexp) }.each { |regexp| refute_nil RegexpAttack.new(regexp).weakness, regexp.source }
    assert_nil RegexpAttack.new(/\A\s*+(?:;\s*+)?\z/).weakness
  end

  private

  # From Ruby 3.2 on, matchers memoize their attempts, unless there is a back reference, as in the last one.
  def memoized?(regexp) = Regexp.respond_to?(:linear_time?) && Regexp.linear_time?(regexp)
end
