# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require_relative "../../rakelib/former_types"

# Some of rake former_types: types that have a value in another way than those behind them, and one that has not.
class FormerTypesTest < Trunkline::TestCase
  include DatabaseHelpers

  def test_what_is_compared_as_a_former_type
    run = FormerTypes.new(postgres_server)
    run.run([%w[float4 float8], %w[date timestamp], %w[timestamp timestamptz], %w[int4 int8]])
    assert_empty run.wrong.map(&:to_s)
    assert_equal %w[date float4 timestamp], run.differences.map(&:former).uniq.sort
    assert_operator run.counts[:postgres], :>, run.differences.size, "the pg gem's prepared statements write by former types, too"
  ensure
    run&.close
    postgres_server.drop_database("former_types")
  end
end
