# frozen_string_literal: true

desc "Compare the values and errors of statements of every type with the pg gem's, in databases that are set up in many ways"
task differential: :compile do
  root = File.expand_path("..", __dir__)
  $LOAD_PATH.unshift(File.join(root, "lib"), File.join(root, "test"))
  require "support/differential"
  require "support/private_servers"

  differential = Differential.new(Trunkline::Bench::PostgresServer.start)
  found = differential.run { |name, differences| puts "#{name}: #{differences.size} differences" }
  puts "#{differential.compared} comparisons"
  abort found.join("\n") if found.any?
end
