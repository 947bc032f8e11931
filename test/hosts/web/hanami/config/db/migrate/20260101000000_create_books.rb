# frozen_string_literal: true

ROM::SQL.migration do
  up do
    create_enum(:kind, %w[novel poems])
    create_table(:books) do
      primary_key :id
      column :title, :text, null: false, unique: true
      column :tags, "text[]", null: false
      column :about, :jsonb, null: false
      column :pages, :int4range, null: false
      column :kind, :kind, null: false
    end
  end

  down do
    drop_table(:books)
    drop_enum(:kind)
  end
end
