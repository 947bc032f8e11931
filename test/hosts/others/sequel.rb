# frozen_string_literal: true

# Sequel's own tests of its PostgreSQL adapter, and of all adapters, on this client: rake hosts:sequel[/path/of/sequel]
#
# The folder is that of a clone of Sequel, whose own library is what runs. Exclusions are in sequel/exclusions.yml.

require "bundler/setup"
require "rbconfig"
require_relative "../../../bench/support/servers/postgres_server"

suites = { "SEQUEL_POSTGRES_URL" => %w[spec/adapters/postgres_spec.rb], "SEQUEL_INTEGRATION_URL" => %w[spec/adapter_spec.rb none] }
server = Trunkline::Bench::PostgresServer.start(settings: { "max_connections" => "100", "max_prepared_transactions" => "4" })
server.psql("CREATE EXTENSION IF NOT EXISTS hstore")
url = server.uri.sub(/\A\w+:/, "trunkline:")
library = File.expand_path("../../../lib", __dir__)

passed = suites.map do |variable, (file, *arguments)|
  system({ variable => url }, RbConfig.ruby, "-I", library, "-r", File.join(__dir__, "sequel/exclude"), file, *arguments, chdir: ENV.fetch("SEQUEL"))
end
server.discard
exit passed.all?
