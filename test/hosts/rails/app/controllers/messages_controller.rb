# frozen_string_literal: true

class MessagesController < ApplicationController
  def index
    render json: room.messages.order(:id).includes(:room).map { |message| { room: message.room.name, body: message.body, tags: message.tags } }
  end

  def create
    message = Message.transaction do
      room.touch
      room.messages.create!(body: params[:body], tags: params[:tags].to_a)
    end
    render json: { id: message.id }, status: :created
  rescue ActiveRecord::RecordInvalid => error
    render json: error.record.errors, status: :unprocessable_entity
  end

  private

  def room = @room ||= Room.find(params[:room_id])
end
