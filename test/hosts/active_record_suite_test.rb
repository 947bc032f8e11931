# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/debian_source"
require_relative "others/activerecord/exclusions"
require_relative "others/activerecord/run"

# ActiveRecord's own tests, on its adapter here: those of test/cases, and of PostgreSQL's adapter. RAILS may name the folder of a source.
class ActiveRecordSuiteTest < Trunkline::TestCase
  BATCH = 200 # files: two processes run all of them in 120 s of a processor, fourteen in 143 s
  private_constant :BATCH

  def test_all_of_it_but_what_is_left_out_for_a_reason
    left_out = [ActiveRecordExclusions.different, ActiveRecordExclusions.timed].flat_map(&:keys)
    report = ActiveRecordRun.new(ENV["RAILS"] || DebianSource::RAILS.folder, "trunkline", batch: BATCH).run(left_out: left_out)
    assert_empty report.unexpected, report.unexpected.map { |name, message| "#{name}\n#{message}" }.join("\n\n")
    assert_empty left_out - report.left_out
    assert_operator report.totals[:runs], :>, 9000
  end
end
