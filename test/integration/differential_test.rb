# frozen_string_literal: true

require "test_helper"
require "support/differential"

# In databases that are set up in other ways, callers get what the pg gem gets. `rake differential` compares it in all of them.
class DifferentialTest < Trunkline::TestCase
  def test_some_databases
    assert_empty Differential.new(postgres_server).run(short: true).join("\n")
  end
end
