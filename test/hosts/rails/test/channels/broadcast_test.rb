# frozen_string_literal: true

require "test_helper"

# What one connection of Action Cable's tells, another hears: the database's NOTIFY and LISTEN.
class BroadcastTest < ActiveSupport::TestCase
  self.use_transactional_tests = false

  test "a broadcast arrives" do
    told = Thread::Queue.new
    adapter = ActionCable.server.pubsub
    adapter.subscribe("room_1", ->(message) { told << message }, -> { told << :subscribed })
    assert_equal :subscribed, told.pop
    ActionCable.server.broadcast("room_1", { body: "It's \\ here" })
    assert_equal({ "body" => "It's \\ here" }, JSON.parse(told.pop))
  ensure
    adapter.shutdown
  end
end
