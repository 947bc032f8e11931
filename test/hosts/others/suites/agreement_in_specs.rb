# frozen_string_literal: true

require "rspec/core"
require_relative "agreement"

# An example of RSpec's fails in which ActiveRecord and the server disagreed.
RSpec.configure do |config|
  config.before(:suite) { Agreement.begin }
  config.append_after do
    differences = Agreement.taken
    raise differences.join("\n") if differences.any?
  end
end
