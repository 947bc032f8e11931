# frozen_string_literal: true

# Outside of a transaction, as an index of a table that is in use has to be.
class IndexMessages < ActiveRecord::Migration[7.2]
  disable_ddl_transaction!

  def change
    add_index :messages, :tags, using: :gin, algorithm: :concurrently
  end
end
