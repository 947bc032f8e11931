# frozen_string_literal: true

require_relative "application"

# The process that loads the application, which a server may fork others from.
Chat::LOADED_BY = Process.pid
Rails.application.initialize!
