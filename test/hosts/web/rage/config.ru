# frozen_string_literal: true

# A Rage application whose actions ask a client of the gem's and ActiveRecord; each answers with JSON.
require_relative "config/application"

run Rage.application
