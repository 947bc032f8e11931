# frozen_string_literal: true

# How many messages a room has, for the cache.
class CountJob < ActiveJob::Base
  def perform(room)
    room.with_lock { Rails.cache.write(["counted", room.id], room.messages.count, raw: true) }
  end
end
