# frozen_string_literal: true

require "async"
require_relative "measure"
require_relative "data/accounts"

module Trunkline
  module Bench
    # Web requests, each a fiber of its own that begins when it is due, whether others are done or not. A third of them run a slow report
    # and are stopped in the middle of it, as a web server does when a browser closes the connection; eight transactions begin at once
    # each second. Includers say what a request asks: `select`, `report` and `transaction`.
    module AbandonedRequests
      CLIENTS = 64
      PACE = 1.0 # seconds from one request of a client to its next one
      SELECTS = 3 # of a request that is not stopped
      TRANSACTIONS = 8
      STOPPED_AFTER = 0.1 # seconds
      REPORT_SECONDS = 1
      REPORT = "SELECT report()"
      UPDATE = "UPDATE counters SET value = value + 1 WHERE id = $1"
      # A report of 100 steps, each some 0.2 ms of processor time and 10 ms in which the server waits.
      TABLES = <<~SQL
        CREATE TABLE counters (id int PRIMARY KEY, value int NOT NULL);
        INSERT INTO counters SELECT id, 0 FROM generate_series(0, #{TRANSACTIONS - 1}) AS id;
        CREATE FUNCTION report() RETURNS int LANGUAGE plpgsql AS $$
        BEGIN
          FOR step IN 1..100 LOOP
            PERFORM count(*) FROM generate_series(1, 2000);
            PERFORM pg_sleep(#{REPORT_SECONDS} / 100.0);
          END LOOP;
          RETURN 100;
        END $$;
      SQL

      # @return [Array] the same for every side
      def answers(ids:) = Sync { [ids.map { |id| select(id) }, report] }

      # @param seconds [Integer] for which requests come
      # @param stopped [Boolean] whether the third that is stopped comes too
      # @return [Hash] wall, cpu, objects; result, requests that were answered; p50, p99 and max: seconds from when they were due;
      #   failed: requests and transactions that were not answered
      def measure(seconds:, stopped:)
        @took = []
        @failed = 0
        measured = Measure.run { Sync { |task| requests(task, seconds, stopped) } && @took.size }
        sleep(REPORT_SECONDS) # what the server has not ended counts as its work
        took = @took.sort
        { **measured, p50: took[took.size / 2], p99: took[took.size * 99 / 100], max: took.last, failed: @failed }
      end

      private

      def requests(task, seconds, stopped)
        start = Measure.now
        arrivals(seconds).map do |at, kind, number|
          next if kind == :stopped && !stopped

          pause = start + at - Measure.now
          sleep(pause) if pause > 0.0005
          task.async { request(kind, number, start + at) }
        end.compact.each(&:wait)
      end

      # @return [Array<Array(Float, Symbol, Integer)>] when each request comes, what it is, and its number
      def arrivals(seconds)
        requests = Array.new((seconds * CLIENTS / PACE).to_i) { |number| [number * PACE / CLIENTS, (number % 3).zero? ? :stopped : :answered, number] }
        transactions = Array.new(seconds) { |second| Array.new(TRANSACTIONS) { |number| [second + 0.5, :transaction, number] } }
        (requests + transactions.flatten(1)).sort_by.with_index { |arrival, place| [arrival.first, place] }
      end

      def request(kind, number, due)
        case kind
        when :stopped then stop_a_report
        when :transaction then transaction(number)
        else
          SELECTS.times { |at| select(Accounts.id((number * SELECTS) + at, @rows)) }
          @took << (Measure.now - due)
        end
      rescue StandardError
        @failed += 1
      end

      def stop_a_report
        task = Async { report }
        sleep(STOPPED_AFTER)
        task.stop
      end
    end
  end
end
