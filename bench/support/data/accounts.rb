# frozen_string_literal: true

module Trunkline
  module Bench
    # A table like pgbench's accounts, for selects by primary key whose answers differ.
    module Accounts
      SELECT = "SELECT balance FROM accounts WHERE id = $1"
      SETTINGS = { "shared_buffers" => "256MB" }.freeze
      STRIDE = 48_271 # prime: walks through all rows in no order that the server could use
      SCRIPT = "\\set id random(1, :rows)\nSELECT balance FROM accounts WHERE id = :id;\n"
      private_constant :SCRIPT

      module_function

      # @param server [PostgresServer]
      # @param rows [Integer] of the table
      def fill(server, rows)
        server.psql(<<~SQL)
          CREATE TABLE accounts (id int PRIMARY KEY, branch int NOT NULL, balance int NOT NULL, filler char(84) NOT NULL);
          INSERT INTO accounts SELECT id, id % 10, (id::bigint * 7919 % 1000003)::int, 'filler' FROM generate_series(1, #{rows}) AS id;
          VACUUM ANALYZE accounts;
        SQL
      end

      # @return [Integer] the id that the nth query asks for
      def id(number, rows) = (number * STRIDE % rows) + 1

      # @return [Array<Integer>] the ids that the first queries ask for
      def ids(count, rows) = Array.new(count) { |number| id(number, rows) }

      # @param depth [Integer] queries of one pipeline
      # @param syncs [Boolean] whether each has a Sync of its own, which pgbench knows from version 17 on
      # @return [String] a script for pgbench that sends them behind each other and waits once
      def pipeline_script(rows, depth, syncs: false)
        query = SCRIPT.gsub(":rows", rows.to_s)
        "\\startpipeline\n#{[query].cycle(depth).to_a.join(syncs ? "\\syncpipeline\n" : "")}\\endpipeline\n"
      end
    end
  end
end
