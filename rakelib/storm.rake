# frozen_string_literal: true

require_relative "sanitized_extension"
require_relative "storm"

desc "Cancel so many short queries on busy connections, and count the other queries that were hit"
task :storm, [:cancels] => :compile do |_, arguments|
  counts = Storm.new.run(Integer(arguments[:cancels] || 600))
  puts counts
  abort "other queries were hit" if counts[:hit].positive?
end

namespace :storm do
  desc "Interrupt and kill callers for so many minutes, under sanitizers, and check that each answer is its caller's own"
  task :interrupts, %i[minutes seed] do |_, arguments|
    require_relative "../bench/support/servers/memcached_server"
    require_relative "../bench/support/servers/postgres_server"

    abort SanitizedExtension.missing unless SanitizedExtension.available?
    seed = arguments[:seed] || (Random.new_seed % 1_000_000).to_s
    servers = [Trunkline::Bench::PostgresServer.start.uri, Trunkline::Bench::MemcachedServer.start.address]
    report = SanitizedExtension.new.run("rakelib/interrupted_callers.rb", *servers, seed, (60 * Float(arguments[:minutes] || 5)).to_s)
    puts "seed #{seed}", report
    abort "wrong answers" if report.match?(/^(wrong|unexpected|hung):/)
  rescue SanitizedExtension::Failure => failure
    abort failure.message
  end
end
