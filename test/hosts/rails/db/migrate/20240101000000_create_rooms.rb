# frozen_string_literal: true

class CreateRooms < ActiveRecord::Migration[7.2]
  def change
    create_enum :room_kind, %w[open closed]
    create_table :rooms do |t|
      t.string :name, null: false
      t.enum :kind, enum_type: :room_kind, null: false, default: "open"
      t.jsonb :settings, null: false, default: {}
      t.timestamps
    end
  end
end
