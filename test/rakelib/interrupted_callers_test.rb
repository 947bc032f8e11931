# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"
require_relative "../../rakelib/sanitized_extension"

# A short form of rake storm:interrupts.
class InterruptedCallersTest < Trunkline::TestCase
  SECONDS = 3
  RUNS = 5 # at most, until so many answers have been right: a slow machine gives few in one
  RIGHT = 10
  private_constant :SECONDS, :RUNS, :RIGHT

  def test_each_answer_is_its_callers_own
    assert SanitizedExtension.available?, SanitizedExtension.missing
    memcached = Trunkline::Bench::MemcachedServer.start
    reports = []
    RUNS.times do |run|
      reports << SanitizedExtension.new.run("rakelib/interrupted_callers.rb", postgres_server.uri, memcached.address, (Minitest.seed + run).to_s, SECONDS.to_s)
      refute_match(/^(wrong|unexpected|hung):/, reports.last)
      break if right(reports) > RIGHT
    end
    assert_operator right(reports), :>, RIGHT, reports.join
  end

  private

  def right(reports) = reports.sum { |report| report[/^right: (\d+)/, 1].to_i }
end
