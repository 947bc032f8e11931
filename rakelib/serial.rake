# frozen_string_literal: true

desc "Compare the answers to concurrent callers of one client, in sessions of each kind, with the answers to each of them alone, for so many minutes"
task :serial, %i[minutes seed] => :compile do |_, arguments|
  root = File.expand_path("..", __dir__)
  $LOAD_PATH.unshift(File.join(root, "lib"), File.join(root, "bench"))
  require "trunkline"
  require "support/servers/postgres_server"
  require_relative "serial"

  server = Trunkline::Bench::PostgresServer.start
  server.psql(SerialUnits::SCHEMA)
  counts = Hash.new(0)
  first = Integer(arguments[:seed] || Random.new_seed % 1_000_000)
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (60 * Float(arguments[:minutes] || 5))
  first.step.find do |seed|
    serial = Serial.new(server, seed: seed)
    serial.round(threads: seed.odd?, disturbed: (seed % 3).positive?)
    serial.counts.each { |name, count| counts[name] += count }
    abort "seed #{seed}: #{serial.wrong.join("\n")}" if serial.wrong.any?
    Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
  end
  puts "seeds from #{first}: #{counts}"
end
