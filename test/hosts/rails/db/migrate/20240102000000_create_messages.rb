# frozen_string_literal: true

class CreateMessages < ActiveRecord::Migration[7.2]
  def change
    create_table :messages do |t|
      t.references :room, null: false, foreign_key: true
      t.text :body, null: false
      t.text :tags, array: true, null: false, default: []
      t.decimal :price, precision: 10, scale: 2
      t.timestamps
    end
  end
end
