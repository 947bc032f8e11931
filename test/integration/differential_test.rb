# frozen_string_literal: true

require "test_helper"
require "support/differential"

# In databases that are set up in other ways, callers get what the pg gem gets. `rake differential` compares it in all of them, and
# `rake differential:random[COUNT,SEED]` in others with random settings.
class DifferentialTest < Trunkline::TestCase
  # Sets 25 settings: DateStyle, IntervalStyle, array_nulls, xmloption and transform_null_equals among them.
  SEED = 11
  private_constant :SEED

  def test_some_databases
    assert_empty Differential.new(postgres_server).run(short: true).join("\n")
  end

  # rake "differential:catalogue[COUNT,SEED]" compares more.
  def test_random_statements_from_the_catalogue
    differential = Differential.new(postgres_server)
    assert_empty differential.run_catalogue(SEED, 200).join("\n")
    assert_operator differential.compared, :>, 100
  end

  # Where another server has other settings, the seed chooses others.
  def test_a_database_with_random_settings
    differential = Differential.new(postgres_server)
    assert_empty differential.run_random([SEED]).join("\n"), "Compare it again: rake 'differential:random[1,#{SEED}]'"
    assert_equal Differential::Statements::ALL.size, differential.compared
  end
end
