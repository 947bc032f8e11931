# frozen_string_literal: true

class CreateArchivedRooms < ActiveRecord::Migration[7.2]
  def change
    create_table(:archived_rooms) { |t| t.string :name, null: false }
  end
end
