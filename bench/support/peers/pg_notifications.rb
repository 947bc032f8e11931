# frozen_string_literal: true

require "pg"
require_relative "../notified_load"

module Trunkline
  module Bench
    module Peers
      # wait_for_notify of the pg gem, on a connection of its own, beside callers with a connection each.
      class PgNotifications
        include NotifiedLoad

        private

        def listening
          connection = PG.connect(@uri)
          connection.exec("LISTEN #{CHANNEL}")
          yield -> { next_payload(connection) }
        ensure
          connection.close
        end

        def next_payload(connection)
          connection.wait_for_notify { |_channel, _pid, payload| return payload }
        end

        def ask(caller, id) = connection(caller).exec_prepared("balance", [id])

        def connection(caller)
          @connections ||= {}
          @connections[caller] ||= PG.connect(@uri).tap { |connection| connection.prepare("balance", Accounts::SELECT) }
        end
      end
    end
  end
end
