# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/fuzzer"

# Some fuzzing of each part of the extension that needs no Ruby. `rake fuzz:long` takes longer.
class FuzzTest < Trunkline::TestCase
  # What must have a harness: all sources without Ruby.
  COVERED = %w[
    bytes/buffer memcached/meta_answer memcached/meta_command postgres/command_tag postgres/error_code postgres/frame
    postgres/frontend postgres/row_description postgres/scanner postgres/sql_lists postgres/unicode_name postgres/verdict socket/socket
    postgres/types/array_text postgres/types/civil_time postgres/types/decimal postgres/types/interval_text
    postgres/types/numeric_binary postgres/types/shortest_float
  ].freeze
  RUNS = 3000
  LONGEST = 256 # bytes
  private_constant :COVERED, :RUNS, :LONGEST

  Fuzzer.names.each do |name|
    define_method(:"test_#{name}") do
      assert Fuzzer.available?, Fuzzer.missing
      report = Fuzzer.new(name).run(runs: RUNS, max_len: LONGEST, seed: Minitest.seed + 1)
      assert_operator report[/number_of_executed_units: *(\d+)/, 1].to_i, :>=, RUNS, report
    end
  end

  def test_every_source_without_ruby_is_fuzzed
    fuzzed = Fuzzer.names.flat_map { |name| Fuzzer.new(name).files }.uniq
    COVERED.each { |source| assert fuzzed.any? { |file| file.end_with?("/#{source}.c") }, source }
  end
end
