# frozen_string_literal: true

desc "Read from two standbys that delay their replay at random, so many times after a position, and count stale reads"
task :stale_reads, %i[reads seed] => :compile do |_, arguments|
  $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
  require_relative "../bench/support/replica_load"

  seed = Integer(arguments[:seed] || (Random.new_seed % 1_000_000))
  load = Trunkline::Bench::ReplicaLoad.new(Trunkline::Bench::PostgresServer.start)
  found = load.stale(Integer(arguments[:reads] || 100_000), seed: seed)
  puts "seed #{seed}", found.map { |name, count| "#{name}: #{count}" }
  abort "a read after a position was stale" if found[:stale].positive?
  abort "no read without a position was stale, so this shows nothing" if found[:stale_without].zero?
ensure
  load&.discard
end
