# frozen_string_literal: true

require_relative "config/environment"

if ENV["THIN"]
  require "trunkline/rack/thin"
  use Trunkline::Rack::Thin
end
run Rails.application
