# frozen_string_literal: true

ENV["RAILS_ENV"] = "test"
require_relative "../config/environment"
require "rails/test_help"

class ActiveSupport::TestCase
  parallelize(workers: Integer(ENV.fetch("WORKERS", "1")), with: ENV.fetch("WITH", "processes").to_sym, threshold: 1)
  fixtures :all
end
