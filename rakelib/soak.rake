# frozen_string_literal: true

require_relative "soaking"

desc "Run each kind of load in test/soak/kinds, or those that KINDS names, for a share of so many minutes (60), and check that nothing grows"
task :soak, [:minutes] => :compile do |_, arguments|
  require_relative "../bench/support/servers/memcached_server"
  require_relative "../bench/support/servers/postgres_server"

  all = Soaking.kinds
  kinds = ENV["KINDS"].to_s.split
  kinds = all if kinds.empty?
  unknown = kinds - all
  abort "There is no kind #{unknown.join(", ")}. There are: #{all.join(", ")}" if unknown.any?

  soaking = Soaking.new(Trunkline::Bench::PostgresServer.start.uri, Trunkline::Bench::MemcachedServer.start.address)
  seconds = Float(arguments[:minutes] || 60) * 60 / kinds.size
  grown = kinds.reject do |kind|
    none, seen = soaking.run(kind, seconds)
    puts "#{none ? "     " : "GROWS"} #{kind}: #{seen.lines.last(none ? 1 : 20).join.chomp}"
    none
  end
  abort "These grow, or fail: #{grown.join(", ")}" if grown.any?
end
