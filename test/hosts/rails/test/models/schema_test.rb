# frozen_string_literal: true

require "test_helper"

# Tables that come and go need tests without a transaction around each.
class SchemaTest < ActiveSupport::TestCase
  self.use_transactional_tests = false

  test "the adapter" do
    assert_equal "ActiveRecord::ConnectionAdapters::TrunklineAdapter", Room.lease_connection.class.name
    assert_kind_of ActiveRecord::ConnectionAdapters::PostgreSQLAdapter, Room.lease_connection
  end

  test "libpq is not to be had" do
    assert_raises(NoLibpq::Opened) { PG.connect }
    assert_raises(NoLibpq::Opened) { PG::Connection.new(host: "127.0.0.1") }
  end

  test "a table that changes under a model" do
    schema = Room.lease_connection
    schema.create_table(:chairs) { |t| t.integer :legs }
    chairs = Class.new(ActiveRecord::Base) { self.table_name = "chairs" }
    chair = chairs.create!(legs: 4)
    schema.add_column :chairs, :colour, :string, default: "red"
    chairs.reset_column_information
    assert_equal [4, "red"], chairs.find(chair.id).attributes.values_at("legs", "colour")
  ensure
    schema.drop_table :chairs
  end
end
