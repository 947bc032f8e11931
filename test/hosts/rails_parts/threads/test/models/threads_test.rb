# frozen_string_literal: true

require "test_helper"

# Tests that run at the same time, in threads of one process: each has its own rows, and connections that the others do not use.
class ThreadsTest < ActiveSupport::TestCase
  self.use_transactional_tests = false
  self.fixture_table_names = []

  12.times do |number|
    test "rows, a rollback and a setting of test #{number}" do
      name = "thread #{number}"
      5.times { Room.transaction { Room.create!(name: name) } }
      Room.transaction do
        Room.lease_connection.execute("SET LOCAL app.test = '#{number}'")
        Room.where(name: name).delete_all
        assert_equal number.to_s, Room.lease_connection.select_value("SELECT current_setting('app.test')")
        raise ActiveRecord::Rollback
      end
      assert_equal [[name, 5]], Room.where(name: name).group(:name).count.to_a
    ensure
      Room.where(name: name).delete_all
    end
  end
end
