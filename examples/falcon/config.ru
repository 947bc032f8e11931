# frozen_string_literal: true

# falcon serve --config examples/falcon/config.ru --bind http://localhost:9292
require_relative "../application"

run Application.new
