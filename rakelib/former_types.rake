# frozen_string_literal: true

desc "Change types of columns behind prepared statements, and compare what they return with new connections and the pg gem's: former_types[PAIRS,SEED]"
task :former_types, %i[pairs seed] => :compile do |_, given|
  $LOAD_PATH.unshift(*%w[lib bench].map { |folder| File.join(File.expand_path("..", __dir__), folder) })
  require "support/servers/postgres_server"
  require_relative "former_types"

  pairs = FormerTypes.pairs.shuffle(random: Random.new(Integer(given[:seed] || Random.rand(1_000_000)))).first(Integer(given[:pairs] || 100))
  run = FormerTypes.new(Trunkline::Bench::PostgresServer.start)
  run.run(pairs) { |differences| puts differences }
  run.differences.group_by { |difference| [difference.former, difference.type].join(" -> ") }.each { |pair, found| puts "#{pair}: #{found.size}" }
  puts "#{run.counts}, #{run.differences.size} of Trunkline's, of which the pg gem has #{run.differences.count(&:postgres)} too"
  abort run.wrong.join("\n") if run.wrong.any?
end
