# frozen_string_literal: true

# A Differential on a server of its own, for the block, which says what differs.
compared = lambda do |&block|
  root = File.expand_path("..", __dir__)
  $LOAD_PATH.unshift(File.join(root, "lib"), File.join(root, "test"))
  require "support/differential"
  require "support/private_servers"

  differential = Differential.new(Trunkline::Bench::PostgresServer.start)
  found = block.call(differential, ->(name, differences) { puts "#{name}: #{differences.size} differences", differences.first(3) })
  puts "#{differential.compared} comparisons"
  abort found.join("\n") if found.any?
end

desc "Compare the values and errors of statements of every type with the pg gem's, in databases that are set up in many ways"
task differential: :compile do
  compared.call { |differential, done| differential.run(&done) }
end

namespace :differential do
  desc "Compare so many random statements from the server's catalogue, and the session that they leave: differential:catalogue[COUNT,SEED]"
  task :catalogue, %i[count seed] => :compile do |_, given|
    seed = Integer(given[:seed] || Random.rand(1_000_000))
    puts "seed #{seed}"
    compared.call { |differential, _| differential.run_catalogue(seed, Integer(given[:count] || 2000)) }
  end

  desc "The same in so many databases with random settings: differential:random[COUNT,SEED]"
  task :random, %i[count seed] => :compile do |_, given|
    first = Integer(given[:seed] || Random.rand(1_000_000))
    compared.call { |differential, done| differential.run_random(first...(first + Integer(given[:count] || 20)), &done) }
  end
end
