# frozen_string_literal: true

require "pg"
require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # Notifies a channel at an even pace; each payload is a number and the time at which it was sent.
      class PgNotifier
        def initialize(uri:)
          @connection = PG.connect(uri)
        end

        # @param count [Integer] notifications
        # @param rate [Numeric] of them a second
        # @return [Integer] count
        def notify(channel:, count:, rate:)
          start = Measure.now
          count.times do |number|
            pause = start + (number / rate.to_f) - Measure.now
            sleep(pause) if pause.positive?
            @connection.exec_params("SELECT pg_notify($1, $2)", [channel, "#{number} #{Measure.now}"])
          end
        end
      end
    end
  end
end
