# frozen_string_literal: true

require_relative "timing"

module Trunkline
  module CLI
    class Doctor
      # Reports how a client with `replicas: true` distributes its reads among the standbys, how long they take on each, and how far each is behind.
      module Replicas # :nodoc:
        # For a p99, a hundred are the least.
        READS = 200
        PRIMARY = %w[any primary read-write].freeze # values of target_session_attrs that are allowed with replicas: true
        private_constant :READS, :PRIMARY

        # @return [Array<Array(Symbol, String)>] verdicts and sentences; none without standbys
        def self.findings(patient)
          return [] if patient.config.hosts.size == 1 || !PRIMARY.include?(patient.config.target_session_attrs)

          client = Postgres::Client.new(patient.config, connections: 1, max_connections: 2, prepare: patient.prepare, replicas: true)
          reads = client.replica(fallback: false)
          READS.times { reads.value("SELECT 1", deadline: TIMEOUT) }
          client.stats[:replicas].select { |replica| replica[:role] == "standby" && replica[:p99] }.map { |replica| describe(replica) }
        rescue NoReplica
          []
        ensure
          client&.close
        end

        def self.describe(replica)
          lag = replica[:lag] ? "it is #{Timing.significant(replica[:lag])} s behind" : "its lag is not known yet"
          [:fine, "#{replica[:server]} took #{(replica[:share] * 100).round} % of #{READS} reads of replicas, 99 of 100 within " \
                  "#{Timing.milliseconds(replica[:p99])}, and #{lag}."]
        end
        private_class_method :describe
      end
      private_constant :Replicas
    end
  end
end
