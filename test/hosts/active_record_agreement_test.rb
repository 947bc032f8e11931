# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/debian_source"
require_relative "others/activerecord/exclusions"
require_relative "others/activerecord/run"

# At every step of ActiveRecord's own tests of transactions, what it believes of them is what the server knows.
class ActiveRecordAgreementTest < Trunkline::TestCase
  FILES = %w[transactions_test transaction_callbacks_test adapters/postgresql/transaction_nested_test].freeze
  private_constant :FILES

  def test_active_records_tests_of_transactions
    left_out = [ActiveRecordExclusions.different, ActiveRecordExclusions.timed].flat_map(&:keys)
    report = ActiveRecordRun.new(ENV["RAILS"] || DebianSource::RAILS.folder, "trunkline", chosen: FILES, jobs: 1, agreement: true).run(left_out: left_out)
    assert_empty report.unexpected, report.unexpected.map { |name, message| "#{name}\n#{message}" }.join("\n\n")
    assert_operator report.totals[:runs], :>, 150
  end
end
