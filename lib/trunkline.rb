# frozen_string_literal: true

require_relative "trunkline/version"
require_relative "trunkline/errors"
require_relative "trunkline/interval"
require_relative "trunkline/time_of_day"
require_relative "trunkline/config"
require "trunkline/trunkline"
require_relative "trunkline/postgres/client"

# Clients for PostgreSQL and memcached whose callers, fibers or threads by the thousand, share a few connections.
module Trunkline
  private_constant :Bytes, :Crew, :Request

  # A PostgreSQL client. It connects on first use, and may be shared by any number of fibers and threads.
  #
  #   db = Trunkline.postgres("postgres:///app")
  #   db.query("SELECT id, name FROM users WHERE id = $1", 42).first  # => {"id" => 42, "name" => "Ada"}
  #   db.close
  #
  # @param conninfo [String, nil] a URI or keyword string as libpq takes; what it leaves out comes from the PG* variables
  # @param connections [Integer] the most connections that queries share
  # @param max_connections [Integer] the most in all, with those of transactions and sessions; at least 2
  # @param keys [:string, :symbol] of the Hashes that results yield
  # @param options host, port, user, password, dbname and the other keywords of a connection string; they take precedence
  # @yieldparam client [Postgres::Client] closed at the block's end
  # @return [Postgres::Client, Object] what the block returned, where one is given
  # @raise [ConfigError] an option that does not exist, or a value that cannot be
  def self.postgres(conninfo = nil, connections: 4, max_connections: 16, keys: :string, **options)
    client = Postgres::Client.new(Config.new(conninfo, **options), connections: connections, max_connections: max_connections, keys: keys)
    return client unless block_given?

    begin
      yield client
    ensure
      client.close
    end
  end
end
