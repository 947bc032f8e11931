# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require_relative "../../bench/support/backends"

class BackendsTest < Trunkline::TestCase
  include DatabaseHelpers

  def test_it_tells_what_an_application_costs_the_server
    name = unique_name
    with_client(application_name: name) do |db|
      db.session do |session|
        session.query("SELECT 1")
        db.session { |other| other.query("SELECT 1") }
        told = Trunkline::Bench::Backends.of(postgres_server, name)
        assert_equal sessions(name).size, told[:connections]
        refute_equal 0.0, told[:memory]
      end
    end
  end

  def test_no_backend_costs_nothing
    assert_equal({ connections: 0, memory: 0.0 }, Trunkline::Bench::Backends.of(postgres_server, unique_name))
  end
end
