# frozen_string_literal: true

class Room < ApplicationRecord
  has_many :messages, dependent: :destroy
  enum :kind, { open: "open", closed: "closed" }, suffix: :room

  validates :name, presence: true
end
