# frozen_string_literal: true

require "test_helper"

class MessagesControllerTest < ActionDispatch::IntegrationTest
  include ActiveJob::TestHelper

  test "the messages of a room" do
    get room_messages_path(rooms(:garden))
    assert_equal %w[Hello] + ["Hello again"], response.parsed_body.map { |message| message["body"] }.sort
  end

  test "a room that is not there" do
    get room_path(0)
    assert_response :not_found
  end

  test "a new message" do
    assert_enqueued_with(job: CountJob) do
      post room_messages_path(rooms(:garden)), params: { body: "New", tags: %w[a b] }, as: :json
    end
    assert_response :created
    assert_equal ["New", %w[a b]], Message.find(response.parsed_body["id"]).values_at(:body, :tags)
  end

  test "a message without a body changes nothing" do
    touched = rooms(:garden).updated_at
    post room_messages_path(rooms(:garden)), params: { body: " " }, as: :json
    assert_response :unprocessable_entity
    assert_equal touched, rooms(:garden).reload.updated_at
  end
end
