# frozen_string_literal: true

require "test_helper"
require "async"

class RoomTest < ActiveSupport::TestCase
  test "fixtures come with their types" do
    message = messages(:hello)
    assert_equal [{ "colour" => "green", "sizes" => [1, 2] }, true, false], [rooms(:garden).settings, rooms(:kitchen).closed_room?, rooms(:garden).closed_room?]
    assert_equal ["first", 'with "quotes"'], message.tags
    assert_equal BigDecimal("12.5"), message.price
    assert_instance_of ActiveSupport::TimeWithZone, message.created_at
  end

  # Whichever of the two comes later would see what the other has left.
  2.times do |number|
    test "a test leaves nothing behind (#{number})" do
      assert_equal 2, Room.count
      Room.create!(name: "Attic")
      assert_equal 3, Room.count
    end
  end

  test "a transaction within the test's own rolls back by itself" do
    Room.transaction(requires_new: true) do
      Room.create!(name: "Attic")
      raise ActiveRecord::Rollback
    end
    assert_equal 2, Room.count
  end

  test "a statement that fails in a savepoint" do
    assert_raises(ActiveRecord::NotNullViolation) { Room.transaction(requires_new: true) { Room.insert!({ name: nil }) } }
    assert_equal 2, Room.count
  end

  test "after_commit runs once the outermost transaction of the application is through" do
    told = []
    Room.transaction do |transaction|
      transaction.after_commit { told << :committed }
      Room.create!(name: "Attic")
      assert_empty told
    end
    assert_equal [:committed], told
  end

  test "threads see what the test has written" do
    Room.create!(name: "Attic")
    assert_equal [3] * 8, Array.new(8) { Thread.new { Room.with_connection { Room.count } } }.map(&:value)
  end

  # Where a connection is a thread's, its fibers must not use it at once.
  test "fibers see what the test has written, or are told that they cannot" do
    Room.create!(name: "Attic")
    counts = Sync { |task| Array.new(8) { task.async { count_rooms } }.map(&:wait) }
    if ActiveSupport::IsolatedExecutionState.isolation_level == :fiber
      assert_equal [3] * 8, counts
    else
      assert_empty counts - [3, "another fiber or thread uses the session at this moment"]
    end
  end

  test "load_async in a test's transaction" do
    assert_equal %w[Garden Kitchen], Room.order(:id).load_async.map(&:name).sort
    assert_equal 2, Room.async_count.value
  end

  test "rows in batches, many at once, and updated in place" do
    Message.insert_all(Array.new(25) { |number| { room_id: rooms(:kitchen).id, body: number.to_s } })
    assert_equal 25, rooms(:kitchen).messages.find_each(batch_size: 10).count
    Message.upsert({ id: messages(:again).id, room_id: rooms(:garden).id, body: "Changed" })
    assert_equal "Changed", messages(:again).reload.body
  end

  test "a query is asked once while the cache holds it" do
    asked = 0
    subscriber = ActiveSupport::Notifications.subscribe("sql.active_record") { |*, payload| asked += 1 unless payload[:cached] }
    Room.cache { 3.times { Room.find(rooms(:garden).id) } }
    assert_equal 1, asked
  ensure
    ActiveSupport::Notifications.unsubscribe(subscriber)
  end

  private

  def count_rooms
    Room.with_connection { Room.count }
  rescue ActiveRecord::StatementInvalid => error
    error.message[/another fiber or thread uses the session at this moment/]
  end
end
