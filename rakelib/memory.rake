# frozen_string_literal: true

require "rbconfig"

desc "Run so many millions of queries of mixed sizes, and check that the memory does not grow"
task :memory, [:millions] => :compile do |_, arguments|
  require_relative "../bench/support/servers/postgres_server"

  queries = Integer(arguments[:millions] || 10) * 1_000_000
  server = Trunkline::Bench::PostgresServer.start
  sh(RbConfig.ruby, "-Ilib", "-Itest", "test/support/memory_load.rb", server.uri, queries.to_s)
end
