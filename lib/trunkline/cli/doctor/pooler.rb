# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Checks whether a pooler between the application and the server changes the server sessions of its connections.
      module Pooler # :nodoc:
        # How often two connections in turn query the ID of their server process: a bound, not tuned.
        ROUNDS = 3
        SESSION_MODE = "A pooler is in between, and each connection keeps its server session, as in PgBouncer's session mode."
        UNDECLARED = "A pooler is in between, and each connection seems to keep its server session, as in PgBouncer's session mode: set pooler: " \
                     ":session, so that SET, LISTEN and the like are not refused."
        TRANSACTION_MODE = "A pooler is in between that gives each transaction another server session, as in PgBouncer's transaction " \
                           "mode: SET, LISTEN, temporary tables and advisory locks that last are refused there, or go over session_url: where it is set."
        STATEMENT_MODE = "A pooler is in between that gives each statement another server session and lets no transaction pass, as in " \
                         "PgBouncer's statement mode: transaction { }, session { }, batches that are atomic and COPY do not work there. Have it pool " \
                         "transactions."
        private_constant :ROUNDS, :SESSION_MODE, :UNDECLARED, :TRANSACTION_MODE, :STATEMENT_MODE

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def self.findings(patient)
          if shares_sessions?(patient.config)
            return transactions?(patient.config) ? [[:advice, TRANSACTION_MODE]] : [[:trouble, STATEMENT_MODE]]
          end

          return [[:fine, "No pooler is in between."]] if direct?(patient)

          patient.config.pooler == :session ? [[:fine, SESSION_MODE]] : [[:advice, UNDECLARED]]
        end

        # Whether connections that are open at the same time use the same server process, or one of them uses different ones.
        def self.shares_sessions?(config)
          clients = 2.times.map { Postgres::Client.new(config, connections: 1, max_connections: 2, prepare: false) }
          seen = clients.map { [] }
          ROUNDS.times { clients.each_with_index { |client, at| seen[at].push(client.value("SELECT pg_catalog.pg_backend_pid()", deadline: TIMEOUT)) } }
          seen.any? { |processes| processes.uniq.size > 1 } || seen.first == seen.last
        ensure
          clients&.each(&:close)
        end

        # Whether a transaction of several statements works.
        def self.transactions?(config)
          client = Postgres::Client.new(config, connections: 1, max_connections: 2, prepare: false)
          client.transaction { |transaction| 2.times { transaction.value("SELECT 1", deadline: TIMEOUT) } }
          true
        rescue Error
          false
        ensure
          client&.close
        end

        # Whether the process ID that is reported to a new connection is one of the server's. Poolers report their own.
        def self.direct?(patient)
          connection = Postgres::Connector.connect(patient.config)
          patient.db.value("SELECT EXISTS (SELECT FROM pg_catalog.pg_stat_activity WHERE pid OPERATOR(pg_catalog.=) $1::pg_catalog.int8)", connection.backend_pid)
        ensure
          connection&.io&.close
        end
        private_class_method :transactions?
      end
      private_constant :Pooler
    end
  end
end
