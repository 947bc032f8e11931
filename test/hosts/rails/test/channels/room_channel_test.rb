# frozen_string_literal: true

require "test_helper"

class RoomChannelTest < ActionCable::Channel::TestCase
  test "it streams a room" do
    subscribe room: rooms(:garden).id
    assert_has_stream "room_#{rooms(:garden).id}"
  end

  test "it rejects a room that is not there" do
    subscribe room: 0
    assert subscription.rejected?
  end
end
