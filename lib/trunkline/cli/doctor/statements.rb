# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Checks whether statements can be prepared, and used again later.
      module Statements # :nodoc:
        NAMES = "SELECT name FROM pg_catalog.pg_prepared_statements " \
                "WHERE pg_catalog.starts_with(statement, 'SELECT name FROM pg_catalog.pg_prepared_statements')"
        # The prefix of statements that PgBouncer keeps for its clients, since 1.21.
        KEPT_BY_POOLER = /\APGBOUNCER_/
        WITHOUT = "Statements are not prepared, as you say (prepare: false): the server plans each query anew."
        private_constant :NAMES, :KEPT_BY_POOLER, :WITHOUT

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def self.findings(patient)
          return [[:fine, WITHOUT]] unless patient.prepare

          names = patient.db.query(NAMES).map { |row| row["name"] }
          return [[:fine, "Statements are prepared, and the pooler keeps them."]] if names.grep(KEPT_BY_POOLER).any?
          return [[:fine, "Statements are prepared."]] if names.any? && !Pooler.shares_sessions?(patient.config)

          [[:advice, "Prepared statements get lost behind this pooler, so the server plans each query anew. PgBouncer can keep them (from 1.21 on, " \
                     "max_prepared_statements)."]]
        end
      end
      private_constant :Statements
    end
  end
end
