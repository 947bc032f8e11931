# frozen_string_literal: true

require "pg"
require_relative "measure"

module Trunkline
  module Bench
    # Tries every 10 ms, over a connection of the pg gem to each server, whether one has become a primary that takes writes: with synchronous
    # replication that is when its own standby has come back.
    class PromotionProbe
      PAUSE = 0.01 # seconds
      # What no standby takes.
      WRITE = "SET client_min_messages = warning; CREATE TABLE IF NOT EXISTS probes (id int); INSERT INTO probes VALUES (1)"

      # @param uris [Hash{Object => String}] of standbys
      def initialize(uris)
        @found = Queue.new
        @threads = uris.map { |server, uri| Thread.new { look(server, uri) } }
      end

      # Waits until there is one.
      #
      # @return [Array(Object, Float)] the server, and when that was seen, on the monotonic clock
      def await = @found.pop

      # Ends it.
      def stop = @threads.each(&:kill).each(&:join)

      private

      def look(server, uri)
        connection = nil
        loop do
          connection ||= PG.connect(uri, connect_timeout: 2)
          connection.exec(WRITE)
          break @found << [server, Measure.now]
        rescue PG::ReadOnlySqlTransaction
          sleep PAUSE
        rescue PG::Error
          connection&.close
          connection = nil
          sleep PAUSE
        end
      ensure
        connection&.close
      end
    end
  end
end
