# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Checks whether the server accepts as many connections as the application may open.
      module Limits # :nodoc:
        # -1: no limit. reserved_connections exists since PostgreSQL 16.
        SQL = <<~SQL
          SELECT pg_catalog.current_setting('max_connections')::int AS all,
                 pg_catalog.current_setting('superuser_reserved_connections')::int OPERATOR(pg_catalog.+)
                   coalesce(pg_catalog.current_setting('reserved_connections', true)::int, 0) AS reserved,
                 (SELECT rolconnlimit FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) current_user) AS role,
                 (SELECT datconnlimit FROM pg_catalog.pg_database WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database()) AS database
        SQL
        private_constant :SQL

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def self.findings(patient)
          limits = patient.db.first(SQL)
          wanted = patient.max_connections * patient.processes
          room, whose = narrowest(limits)
          processes = patient.processes == 1 ? "One process" : "#{patient.processes} processes"
          wanted_connections = "#{processes} with max_connections #{patient.max_connections} may open #{wanted} connections"
          return [[:advice, pooled(wanted_connections, room, whose)]] unless Pooler.direct?(patient)

          return [[:fine, "#{wanted_connections}, and #{whose} #{room}."]] if wanted <= room

          [[:trouble, "#{wanted_connections}, but #{whose} #{room}: #{remedy(room, patient.processes)}."]]
        end

        # @return [Array(Integer, String)]
        def self.narrowest(limits)
          [[limits["all"] - limits["reserved"], "the server takes"], [limits["role"], "the role's limit is"], [limits["database"], "the database's limit is"]]
            .reject { |room,| room.negative? }.min_by(&:first)
        end

        # The application's connections end at the pooler, the pooler's at the server.
        def self.pooled(wanted_connections, room, whose)
          "#{wanted_connections} to the pooler, whose own limit (PgBouncer's max_client_conn) must be as high. Of the connections that poolers open themselves " \
            "(default_pool_size for each pair of database and role) #{whose} #{room}."
        end

        def self.remedy(room, processes)
          each = room / processes
          each.zero? ? "let it take more, or run fewer processes" : "set max_connections: #{each}, or let it take more"
        end
        private_class_method :narrowest, :pooled, :remedy
      end
      private_constant :Limits
    end
  end
end
