# frozen_string_literal: true

require_relative "../../bench/support/servers/postgres_server"

# Servers whose databases have user-defined types; started on first use, removed with the process.
module OwnTypes
  @servers = {}

  # @param definitions [String] SQL
  # @return [Trunkline::Bench::PostgresServer] the same one for the same definitions
  def self.server(definitions)
    @servers[definitions] ||= Trunkline::Bench::PostgresServer.start.tap { |server| server.psql(definitions) }
  end
end
