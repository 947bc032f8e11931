# frozen_string_literal: true

require "test_helper"

# Each number of the library has beside it what it is: a measurement, a source, or the reason for a bound.
class ConstantsTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  # libpq's own numbers, by its names.
  LISTED = %w[lib/trunkline/pg/constants.rb].freeze
  NUMBER = /^\s+[A-Z][A-Z0-9_]+ = -?[\d(]/
  private_constant :ROOT, :LISTED, :NUMBER

  def test_each_has_its_reason
    bare = (Dir.glob("lib/**/*.rb", base: ROOT) - LISTED).flat_map { |path| without_reason(path) }
    assert_empty bare, "say beside it where the number comes from"
  end

  private

  # One comment may precede several.
  def without_reason(path)
    lines = File.readlines(File.join(ROOT, path), encoding: "UTF-8")
    [nil, *lines].each_cons(2).with_index(1).filter_map do |(before, line), number|
      "#{path}:#{number}: #{line.strip}" if line.match?(NUMBER) && !line.include?("#") && !before.to_s.match?(/^\s*#/) && !before.to_s.match?(NUMBER)
    end
  end
end
