# frozen_string_literal: true

require_relative "timing"

module Trunkline
  module CLI
    class Doctor
      # Reports the role of each of several hosts, how far the standbys are behind, and which host queries use.
      module Hosts # :nodoc:
        IDENTITY = Postgres.const_get(:IdentityQuery)::SQL
        # Two hosts may lead to one server, through poolers.
        STARTED = "SELECT pg_catalog.pg_postmaster_start_time()::pg_catalog.text"
        # Bytes of WAL that were written, or replayed.
        POSITION = <<~SQL
          SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn() ELSE pg_catalog.pg_current_wal_lsn() END
            OPERATOR(pg_catalog.-) '0/0'::pg_catalog.pg_lsn
        SQL
        WANTED = { "any" => ->(_) { true }, "read-write" => :primary?.to_proc, "primary" => :primary?.to_proc, "read-only" => :recovery.to_proc,
                   "standby" => :recovery.to_proc }.freeze
        WRITERS = %w[primary read-write].freeze
        # The findings about a host.
        #
        # server:: [String] label
        # db:: [Postgres::Scope] a client of this host alone, with a deadline
        # error:: [Error, nil] why it cannot be reached
        # system:: [String] identifier
        # recovery:: [Boolean] whether it is a standby
        # timeline:: [Integer]
        # started:: [String] when the server was started
        Found = Struct.new(:server, :db, :error, :system, :recovery, :timeline, :started, keyword_init: true) do
          def primary? = !error && !recovery
          def rival?(other) = primary? && other.primary? && [system, timeline] == [other.system, other.timeline] && started != other.started
        end
        private_constant :IDENTITY, :STARTED, :POSITION, :WANTED, :WRITERS, :Found

        # @return [Array<Array(Symbol, String)>] verdicts and sentences; none for a single host
        def self.findings(patient)
          return [] if patient.config.hosts.size == 1

          clients = patient.config.hosts.map { |host| Postgres::Client.new(patient.config.at(host), connections: 1, max_connections: 2, prepare: patient.prepare) }
          all = patient.config.hosts.zip(clients).map { |host, client| Thread.new { identify(host, client.with(deadline: TIMEOUT)) } }.map(&:value)
          [*all.map { |found| describe(found, all) }, destination(patient.config, all)].compact
        ensure
          clients&.each(&:close)
        end

        def self.identify(host, db)
          system, recovery, timeline = db.query(IDENTITY).rows.first
          Found.new(server: host.server, db: db, system: system.to_s, recovery: recovery, timeline: timeline.to_i(16), started: db.value(STARTED))
        rescue Deadline
          Found.new(server: host.server, error: ConnectionError.new("it has not answered within #{TIMEOUT} s"))
        rescue Error => error
          Found.new(server: host.server, error: error)
        end

        def self.describe(found, all)
          return [:advice, "#{found.server} cannot be reached: #{found.error.message}."] if found.error

          known = all.reject(&:error)
          return [:trouble, foreign(found, known.first)] if found.system != known.first.system
          return [:trouble, former(found, known)] if former?(found, known)

          rival = known.find { |other| found.rival?(other) }
          return [:trouble, rival(found, rival)] if rival

          [:fine, "#{found.server} is #{found.recovery ? "a standby" : "the primary"}, on timeline #{found.timeline}#{lag(found, known)}. #{latency(found)}"]
        end

        def self.foreign(found, first)
          "#{found.server} belongs to another cluster than #{first.server}: its system identifier is #{found.system}, and not #{first.system}. Clients refuse it " \
            "(WrongCluster): take it out of the list."
        end

        def self.former(found, known)
          "#{found.server} takes writes on timeline #{found.timeline}, and its cluster is on timeline #{newest(known)}: it is a former primary, and what is " \
            "written there is lost. Stop it, or make it a standby."
        end

        def self.rival(found, other)
          "#{found.server} takes writes on timeline #{found.timeline}, and so does #{other.server}, which is another server: clients cannot tell which one is the " \
            "primary. Stop one of them, or make it a standby; what was written there is lost."
        end

        def self.former?(found, known) = found.primary? && found.timeline < newest(known)

        def self.newest(known) = known.map(&:timeline).max

        # The primary is queried first, so what it writes in between does not count.
        def self.lag(found, known)
          return unless found.recovery

          primary = known.select(&:primary?).max_by(&:timeline) or return ", and no primary is there to compare it with"
          written = primary.db.value(POSITION)
          ", #{[written - found.db.value(POSITION), 0].max.to_i} bytes behind the primary"
        end

        def self.latency(found) = Timing.round_trip("A query") { found.db.value("SELECT 1") }.last

        # If no host is suitable, the error of connecting is reported.
        def self.destination(config, all)
          suitable, why = suitable(config, all.reject(&:error))
          return if suitable.empty?

          random = config.load_balance_hosts == "random" && suitable.size > 1
          where = random ? "any of #{suitable.map(&:server).join(", ")}, in random order" : suitable.first.server
          sentence = "Queries go to #{where}: #{why} (target_session_attrs=#{config.target_session_attrs}).#{first_former(config, all)}"
          return [:fine, sentence] unless config.target_session_attrs == "any" && suitable.any?(&:recovery)

          [:advice, "#{sentence} Writes are refused by a standby: target_session_attrs=read-write requires the primary."]
        end

        # A client that has just started knows no timeline yet.
        def self.first_former(config, all)
          known = all.reject(&:error)
          first = known.find(&:primary?)
          return if !WRITERS.include?(config.target_session_attrs) || first.nil? || !former?(first, known)

          " A client that starts now goes to #{first.server} until it has seen timeline #{newest(known)}."
        end

        def self.suitable(config, reached)
          wanted = config.target_session_attrs
          standbys = reached.select(&:recovery)
          return standbys.any? ? [standbys, "standbys are preferred"] : [reached, "standbys are preferred, and there is none"] if wanted == "prefer-standby"

          found = reached.select(&WANTED.fetch(wanted)).select { |one| one.recovery || one.timeline == newest(reached) }
          [found, wanted == "any" ? "it is the first one that can be reached, and any will do" : "it is the first #{found.first&.recovery ? "standby" : "primary"}"]
        end
        private_class_method :identify, :describe, :foreign, :former, :former?, :rival, :newest, :lag, :latency, :destination, :first_former, :suitable
      end
      private_constant :Hosts
    end
  end
end
