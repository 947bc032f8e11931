# frozen_string_literal: true

# puma --config examples/puma/puma.rb
require_relative "../application"

run Application.new
