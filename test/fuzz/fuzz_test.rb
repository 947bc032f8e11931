# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/fuzzer"

# Some fuzzing of each part of the extension that needs no Ruby. `rake fuzz:long` takes longer.
class FuzzTest < Trunkline::TestCase
  # Takes no bytes from anywhere: what the trunk measures, a number, and the addresses of libssl's functions.
  WITHOUT_INPUT = %r{/trunk/|/socket/(process_generation|libssl)\.c\z}
  SOURCES = File.expand_path("../../ext/trunkline", __dir__)
  RUNS = 3000
  LONGEST = 256 # bytes
  private_constant :SOURCES, :WITHOUT_INPUT, :RUNS, :LONGEST

  Fuzzer.names.each do |name|
    define_method(:"test_#{name}") do
      assert Fuzzer.available?, Fuzzer.missing
      report = Fuzzer.new(name).run(runs: RUNS, max_len: LONGEST, seed: Minitest.seed + 1)
      assert_operator report[/number_of_executed_units: *(\d+)/, 1].to_i, :>=, RUNS, report
    end
  end

  # A source stands without Ruby where neither it nor anything that it includes asks for a header of Ruby's.
  def test_every_source_without_ruby_is_fuzzed
    fuzzed = Fuzzer.names.flat_map { |name| Fuzzer.new(name).files }.uniq
    without_ruby = Dir[File.join(SOURCES, "**/*.c")].reject { |file| ruby?(file) || file.match?(WITHOUT_INPUT) }
    assert_operator without_ruby.size, :>, 15
    assert_empty((without_ruby - fuzzed).map { |file| file.delete_prefix("#{SOURCES}/") })
  end

  private

  def ruby?(file, seen = [])
    return false if seen.include?(file)

    text = File.read(file)
    text.match?(/^#include <ruby/) || text.scan(/^#include "(.+)"/).flatten.any? { |name| ruby?(File.expand_path(name, File.dirname(file)), [*seen, file]) }
  end
end
