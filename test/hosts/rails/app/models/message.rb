# frozen_string_literal: true

class Message < ApplicationRecord
  belongs_to :room

  validates :body, presence: true

  after_commit(on: :create) do
    ActionCable.server.broadcast("room_#{room_id}", { body: body })
    CountJob.perform_later(room)
  end
end
