# frozen_string_literal: true

# Another server: it answers after five milliseconds, or after as many seconds as SECONDS says.
seconds = Float(ENV.fetch("SECONDS", "0.005"))

run(lambda do |_env|
  sleep seconds
  [200, { "content-type" => "text/plain", "content-length" => "2" }, ["ok"]]
end)
