# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/debian_source"
require_relative "others/rails_cache_store/suite"

# Rails' own tests of its store in memcached, on the store that stands in for it. RAILS may name the folder of a source.
class RailsCacheStoreSuiteTest < Trunkline::TestCase
  def test_all_of_it_but_what_is_left_out_for_a_reason
    left_out = RailsCacheStoreSuite.excluded.keys
    report = RailsCacheStoreSuite.new(ENV["RAILS"] || DebianSource::RAILS.folder).run(left_out: left_out)
    assert_empty report.unexpected, report.unexpected.map { |name, message| "#{name}\n#{message}" }.join("\n\n")
    assert_empty left_out - report.left_out
    assert_operator report.totals[:runs], :>, 300
  end
end
