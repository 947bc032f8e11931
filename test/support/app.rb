# frozen_string_literal: true

require "securerandom"
require "trunkline"

# The database that the README and the guides call postgres:///app.
module App
  TABLES = <<~SQL
    CREATE TABLE users (id int PRIMARY KEY, name text, born date);
    INSERT INTO users VALUES (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09'), (42, 'Barbara', '1939-11-07');
    CREATE TABLE orders (id int PRIMARY KEY);
    INSERT INTO orders VALUES (1), (2);
    CREATE TABLE accounts (id int PRIMARY KEY, balance int);
    INSERT INTO accounts VALUES (1, 100), (2, 0)
  SQL
  private_constant :TABLES

  # Makes one for the block.
  #
  # @param server [#psql, #uri]
  # @yieldparam db [Trunkline::Postgres::Client]
  # @yieldparam uri [String]
  def self.open(server)
    open_empty(server) do |db, uri|
      db.execute_script(TABLES)
      yield db, uri
    end
  end

  # Makes one without tables for the block, which gets the same arguments.
  def self.open_empty(server)
    name = "app_#{SecureRandom.hex(6)}"
    server.psql("CREATE DATABASE #{name}")
    uri = server.uri(dbname: name)
    Trunkline.postgres(uri) { |db| yield db, uri }
  ensure
    server.drop_database(name)
  end
end
