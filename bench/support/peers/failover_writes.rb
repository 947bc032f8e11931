# frozen_string_literal: true

require "active_record"
require "pg"
require "trunkline"
require_relative "../failover_load"

module Trunkline
  module Bench
    module Peers
      # Writers of tokens that each client has go over to the next primary in its own way: Trunkline's waits for it, the pg gem is given libpq's list
      # of hosts, and a thread whose connection fails opens another; Rails has its own retries.
      class FailoverWrites
        PAUSE = 0.02 # seconds between two writes of one
        private_constant :PAUSE

        # What reads what is there.
        Reader = Struct.new(:uri) do
          def psql(sql)
            connection = ::PG.connect(uri)
            connection.exec(sql).column_values(0).join("\n")
          ensure
            connection&.close
          end
        end
        private_constant :Reader

        # @param side [String] trunkline, pg or activerecord
        # @param hosts [String] and ports, as a URI has them
        # @param table [String] that it writes to
        def initialize(side:, hosts:, table:, writers:)
          @table = table
          @insert = "INSERT INTO #{table} VALUES ($1)"
          @load = send(side, "postgresql://postgres@#{hosts}/postgres?target_session_attrs=read-write&connect_timeout=2", writers)
        end

        # @return [Integer] writes so far
        def count = @load.count

        # @param uri [String] of the next primary
        # @param promoted_at [Float] on the monotonic clock
        # @return [Hash] what became of the writes
        def finish(uri:, promoted_at:)
          @load.finish
          figures = @load.compared_with(Reader.new(uri), table: @table)
          resumed = @load.resumed_after(promoted_at)
          { **figures, lost_later: @load.lost_after(promoted_at), gap: @load.gap, resumed: resumed[((resumed.size - 1) * 0.95).round], last: resumed.last }
        end

        private

        def trunkline(uri, writers) = FailoverLoad.over(Trunkline.postgres(uri, failover_wait: 120), writers, pause: PAUSE, table: @table)

        def pg(uri, writers)
          loading(writers, ::PG::Error) do |token|
            thread = Thread.current
            thread[:sent] = false
            thread[:connection] ||= ::PG.connect(uri).tap { |connection| connection.set_notice_processor { nil } } # warnings of servers that end
            thread[:sent] = true
            thread[:connection].exec_params(@insert, [token])
          rescue ::PG::Error
            thread[:connection]&.close
            thread[:connection] = nil
            raise
          end
        end

        def activerecord(uri, writers)
          parts = uri.match(%r{@(?<hosts>[^/]+)/})[:hosts].split(",").map { |host| host.split(":") }.transpose.map { |list| list.join(",") }
          ::ActiveRecord::Base.establish_connection(adapter: "postgresql", database: "postgres", username: "postgres", host: parts.first, port: parts.last, pool: writers,
                                                    target_session_attrs: "read-write", connect_timeout: 2, min_messages: "error", reaping_frequency: nil)
          loading(writers, ::ActiveRecord::ActiveRecordError) do |token|
            Thread.current[:sent] = true
            ::ActiveRecord::Base.connection_pool.with_connection { |connection| connection.exec_insert(@insert.sub("$1", connection.quote(token))) }
          rescue ::ActiveRecord::ConnectionNotEstablished
            Thread.current[:sent] = false
            raise
          end
        end

        def loading(writers, expected, &write)
          FailoverLoad.new(writers, pause: PAUSE, expected: expected, uncertain: ->(_) { Thread.current[:sent] }, &write)
        end
      end
    end
  end
end
