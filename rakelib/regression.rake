# frozen_string_literal: true

# The files that FILES names, or all, in the folder of PostgreSQL's source.
regression = lambda do |source, parameters|
  abort "Say where PostgreSQL's source is: rake \"regression[/path/of/postgresql-15.18]\"" unless source && File.directory?(source)
  root = File.expand_path("..", __dir__)
  $LOAD_PATH.unshift(File.join(root, "lib"), File.join(root, "bench"))
  require "support/servers/postgres_server"
  require_relative "regression"

  trunkline, postgres = Array.new(2) { Trunkline::Bench::PostgresServer.start(settings: Regression::SETTINGS) }
  run = Regression.new(File.expand_path(source), trunkline: trunkline, postgres: postgres, parameters: parameters)
  run.run(ENV.fetch("FILES", "").split) do |file, wrong|
    puts "#{file.name}: #{file.statements} statements, #{file.succeeded} succeeded, #{file.differences.size} differ, #{file.refused} refused", wrong
    $stdout.flush
  end
  puts run.counts
  abort "#{run.wrong.size} differences are not known" if run.wrong.any?
end

desc "Run the SQL of PostgreSQL's own regression tests beside the pg gem, and compare values and errors; takes the folder of its source, FILES chooses"
task(:regression, [:source] => :compile) { |_, arguments| regression.call(arguments.source, false) }

namespace :regression do
  desc "The same with string literals as parameters"
  task(:parameters, [:source] => :compile) { |_, arguments| regression.call(arguments.source, true) }
end
