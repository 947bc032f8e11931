# frozen_string_literal: true

class RoomsController < ApplicationController
  def index
    render json: Room.order(:id).load_async.map(&:name)
  end

  def create
    render json: { id: Room.create!(name: params[:name]).id }, status: :created
  end

  def show
    room = Room.find(params[:id])
    render json: { name: room.name, messages: room.messages.count, counted: Rails.cache.read(["counted", room.id], raw: true)&.to_i }
  end
end
