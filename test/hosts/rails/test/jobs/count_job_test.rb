# frozen_string_literal: true

require "test_helper"

class CountJobTest < ActiveJob::TestCase
  test "it counts into the cache" do
    CountJob.perform_now(rooms(:garden))
    assert_equal "2", Rails.cache.read(["counted", rooms(:garden).id], raw: true)
  end

  test "it finds its room again" do
    perform_enqueued_jobs { CountJob.perform_later(rooms(:kitchen)) }
    assert_equal "0", Rails.cache.read(["counted", rooms(:kitchen).id], raw: true)
  end
end
