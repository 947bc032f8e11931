# frozen_string_literal: true

class RoomChannel < ApplicationCable::Channel
  def subscribed
    room = Room.find_by(id: params[:room])
    room ? stream_from("room_#{room.id}") : reject
  end
end
