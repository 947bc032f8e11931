# frozen_string_literal: true

# Another server: it answers after five milliseconds.
run(lambda do |_env|
  sleep 0.005
  [200, { "content-type" => "text/plain", "content-length" => "2" }, ["ok"]]
end)
