# frozen_string_literal: true

# thin start -R examples/thin/config.ru
require_relative "../application"
require "trunkline/rack/thin"

use Trunkline::Rack::Thin
run Application.new
