# frozen_string_literal: true

require "trunkline"
require_relative "doctor/access"
require_relative "doctor/functions"
require_relative "doctor/hosts"
require_relative "doctor/limits"
require_relative "doctor/memcached"
require_relative "doctor/pooler"
require_relative "doctor/replicas"
require_relative "doctor/speed"
require_relative "doctor/statements"
require_relative "doctor/values"

module Trunkline
  module CLI
    # Examines a server as an application would use it, and reports findings in plain sentences. It changes nothing there.
    class Doctor
      # Seconds that one query may take: a bound, not tuned.
      TIMEOUT = 10
      CHECKS = [Hosts, Access, Replicas, Pooler, Statements, Values, Speed, Limits, Functions].freeze
      MARKS = { fine: "ok  ", advice: "hint", trouble: "!!  " }.freeze
      private_constant :TIMEOUT, :CHECKS, :MARKS

      # The input of each check.
      #
      # config:: [Config]
      # db:: [Postgres::Scope] a client, with a deadline
      # max_connections:: [Integer] of one process
      # processes:: [Integer]
      # prepare:: [Boolean]
      Subject = Struct.new(:config, :db, :max_connections, :processes, :prepare, keyword_init: true)

      # @param url [String, nil] as {Trunkline.postgres} takes it
      # @param connections [Integer, nil] as of {Trunkline.postgres}
      # @param max_connections [Integer] as of {Trunkline.postgres}
      # @param processes [Integer] how many the application has
      # @param prepare [Boolean] as of {Trunkline.postgres}
      # @raise [ConfigError, ArgumentError] an invalid value
      def initialize(url, connections: nil, max_connections: 16, processes: 1, prepare: true)
        raise ArgumentError, "processes must be positive, not #{processes}" unless processes.positive?

        config = Config.new(url)
        @client = Postgres::Client.new(config, connections: connections, max_connections: max_connections, prepare: prepare)
        @patient = Subject.new(config: config, db: @client.with(deadline: TIMEOUT), max_connections: max_connections,
                               processes: processes, prepare: prepare)
      end

      # @param out [IO] where the findings go
      # @return [Boolean] whether there is no problem
      def examine(out)
        verdicts = CHECKS.flat_map do |check|
          findings = run(check)
          findings.each { |verdict, sentence| out.puts("#{MARKS.fetch(verdict)}  #{sentence}") }
          break [:trouble] if check == Access && findings.dig(0, 0) == :trouble

          findings.map(&:first)
        end
        verdicts.none?(:trouble)
      ensure
        @client.close
      end

      private

      def run(check)
        check.findings(@patient)
      rescue Error => error
        [[:trouble, "#{error.message.sub(/\A./, &:upcase)}."]]
      end
    end
  end
end
