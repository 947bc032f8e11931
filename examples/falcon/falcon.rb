# frozen_string_literal: true

# falcon host examples/falcon/falcon.rb
require "falcon/environment/rack"

service "application" do
  include Falcon::Environment::Rack

  # Processes.
  count 2

  endpoint { Async::HTTP::Endpoint.parse("http://127.0.0.1:#{ENV.fetch("PORT", "9292")}") }
end
