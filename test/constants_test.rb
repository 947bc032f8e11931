# frozen_string_literal: true

require "test_helper"

# Each number of the library and of the extension has beside it what it is. One by which the client decides has a measurement there, a source, or the
# statement that it is a bound.
class ConstantsTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  # libpq's own numbers, by its names.
  LISTED = %w[lib/trunkline/pg/constants.rb].freeze
  NUMBER = {
    ".rb" => /^\s+(?<name>[A-Z][A-Z0-9_]+) = (?<value>-?[\d(].*)/,
    ".c" => /^\s*#\s*define (?<name>[A-Z_0-9]+) (?<value>\(*-?[.\d].*)/
  }.freeze
  COMMENTED = { ".rb" => /^\s*#/, ".c" => %r{^\s*/?\*} }.freeze
  # Times and fractions, and whatever limits how much is done or kept.
  DECIDES = /\d\.\d|\d[eE]-\d|\b(?:seconds|part of|fraction|factor|multiples|how (?:many|often)|at a time|at (?:least|most)|tried|considered|measurements|kept)\b/i
  # A figure; or a word that says that it is a bound, that others change nothing, or whose number it is.
  REASON = /(?<![\w.])\d|\bbounds?\b|\bhalf and (?:with )?double\b|\bdefault\b|\blibpq|\bRFC\b|\bDalli's own\b|\bserver's own\b/i
  private_constant :ROOT, :LISTED, :NUMBER, :COMMENTED, :DECIDES, :REASON

  def test_each_of_the_library_has_its_comment
    assert_empty numbers("lib/**/*.rb").select { |_, _, comment| comment.empty? }.map(&:first), "say beside it where the number comes from"
  end

  # A unit needs none.
  def test_each_of_connections_and_sockets_has_its_comment
    bare = numbers("ext/trunkline/{trunk,socket,bytes,memcached}/**/*.{c,h}").select { |_, _, comment| comment.empty? }.map(&:first)
    assert_empty bare.grep_v(/: MICROSECONDS\z/), "say beside it what was measured, or that it is a bound"
  end

  def test_each_by_which_the_client_decides_has_its_reason
    found = numbers("{lib/**/*.rb,ext/**/*.{c,h}}")
    assert_operator found.size, :>, 200
    bare = found.select { |_, value, comment| "#{value} #{comment}".match?(DECIDES) && !comment.match?(REASON) }
    assert_empty bare.map(&:first), "say beside it what was measured, whose number it is, or that it is a bound"
  end

  def test_what_counts_as_a_reason
    texts = ["Seconds until the next.", "Seconds, a bound.", "With half and double it is the same.", "With 4 it takes 3 us.", "Of SIZE_2."]
    assert_equal [false, true, true, true, false], texts.map { |text| text.match?(REASON) }
  end

  private

  # @return [Array<Array(String, String, String)>] of each number where it is, its value, and the comments beside it and above it; one may precede
  #   several
  def numbers(pattern)
    (Dir.glob(pattern, base: ROOT) - LISTED).sort.flat_map do |path|
      kind = path.end_with?(".rb") ? ".rb" : ".c"
      lines = File.readlines(File.join(ROOT, path), chomp: true, encoding: "UTF-8")
      lines.each_index.filter_map do |at|
        found = lines[at].match(NUMBER[kind]) or next
        value, beside = found[:value].split(kind == ".rb" ? /(?=#)/ : %r{(?=/\*)}, 2)
        ["#{path}:#{at + 1}: #{found[:name]}", value, [*above(lines.first(at), kind), *beside].join(" ")]
      end
    end
  end

  def above(lines, kind)
    lines.pop while lines.last&.match?(NUMBER[kind])
    lines.reverse.take_while { |line| line.match?(COMMENTED[kind]) }.reverse
  end
end
