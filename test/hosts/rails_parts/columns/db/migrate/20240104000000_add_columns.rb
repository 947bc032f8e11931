# frozen_string_literal: true

# The running application reads all columns of both tables, and knows none of these. Each is a transaction of its own, as one for both would lock the tables in
# another order than the application does.
class AddColumns < ActiveRecord::Migration[7.2]
  disable_ddl_transaction!

  def change
    add_column :rooms, :floor, :integer, null: false, default: 0
    add_index :rooms, :floor
    add_column :messages, :pinned, :boolean, null: false, default: false
  end
end
