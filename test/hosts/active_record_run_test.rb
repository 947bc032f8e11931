# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require_relative "others/activerecord/run"

# A run of ActiveRecord's own tests tells which of them failed, hung or ended their process, by their names.
class ActiveRecordRunTest < Trunkline::TestCase
  TESTS = {
    "mixed" => <<~RUBY,
      require "minitest/autorun"
      class MixedTest < Minitest::Test
        def test_good = assert_equal("trunkline", ENV.fetch("ARCONN"))
        def test_bad = flunk("as it should")
        def test_known = flunk("as it may")
        def test_left_out = abort
        def test_put_off = skip
      end
    RUBY
    "ending" => <<~RUBY,
      require "minitest/autorun"
      class EndingTest < Minitest::Test
        def test_that_ends_it_all = abort("farewell")
      end
    RUBY
    "hanging" => <<~RUBY
      require "minitest/autorun"
      class HangingTest < Minitest::Test
        def test_that_waits_for_ever = sleep
      end
    RUBY
  }.freeze
  private_constant :TESTS

  def test_what_failed_is_reported
    report = run_tests("mixed", "ending") { |run| run.run(left_out: ["MixedTest#test_left_out"], excluded: { "MixedTest#test_known" => "a reason" }) }
    assert_equal %w[MixedTest#test_bad MixedTest#test_known], report.failed.sort
    assert_equal ["MixedTest#test_bad", "ending_test.rb to ending_test.rb"], report.unexpected.keys.sort
    assert_match(/as it should/, report.unexpected["MixedTest#test_bad"])
    assert_match(/\Adid not come to their end, in EndingTest#test_that_ends_it_all: .*farewell/m, report.unexpected["ending_test.rb to ending_test.rb"])
    assert_equal ["MixedTest#test_left_out"], report.left_out
    assert_equal({ runs: 4, assertions: 3, passed: 1, failures: 2, skips: 1 }, report.totals)
  end

  def test_what_hangs_is_ended
    report = run_tests("hanging", patience: 0, &:run)
    assert_match(/\Adid not come to their end.*ended after 0 seconds without a word\z/m, report.unexpected.fetch("hanging_test.rb to hanging_test.rb"))
  end

  def test_there_must_be_tests
    error = assert_raises(ArgumentError) { ActiveRecordRun.new("/there/is/none", "trunkline") }
    assert_equal "there are no such tests in /there/is/none", error.message
  end

  private

  def run_tests(*names, **options)
    Dir.mktmpdir do |folder|
      cases = File.join(folder, "activerecord/test/cases")
      FileUtils.mkdir_p(cases)
      TESTS.slice(*names).each { |name, source| File.write(File.join(cases, "#{name}_test.rb"), source) }
      yield ActiveRecordRun.new(folder, "trunkline", batch: 1, **options)
    end
  end
end
