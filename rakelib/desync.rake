# frozen_string_literal: true

require_relative "desync"

desc "Change messages of a real server's stream for so many minutes, and count the callers that got another one's answer"
task :desync, %i[minutes seed] => :compile do |_, arguments|
  root = File.expand_path("..", __dir__)
  $LOAD_PATH.unshift(File.join(root, "lib"), File.join(root, "bench"))
  require "trunkline"
  require "support/servers/postgres_server"
  seed = Integer(arguments[:seed] || Random.new_seed % 1_000_000)
  desync = Desync.new(Trunkline::Bench::PostgresServer.start, seed: seed)
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60 * Float(arguments[:minutes] || 1)
  desync.round(20) while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
  puts "seed #{seed}: #{desync.counts}"
  abort "wrong answers" if %i[crossed incomplete unexpected spoilt].any? { |wrong| desync.counts[wrong].positive? }
end
