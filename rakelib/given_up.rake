# frozen_string_literal: true

desc "Stop callers wherever they wait for so many minutes, and check that nothing of them is left"
task :given_up, %i[minutes seed] => :compile do |_, arguments|
  $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
  require_relative "../bench/support/servers/postgres_server"
  require_relative "given_up_callers"

  seed = Integer(arguments[:seed] || (Random.new_seed % 1_000_000))
  counts = GivenUpCallers.new(Trunkline::Bench::PostgresServer.start.uri, seed: seed).run(60 * Float(arguments[:minutes] || 5))
  puts "seed #{seed}", counts.map { |outcome, count| "#{outcome}: #{count}" }
  abort "something stayed behind" if GivenUpCallers::FAULTS.any? { |fault| counts.key?(fault) }
end
