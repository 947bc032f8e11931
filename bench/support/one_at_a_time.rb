# frozen_string_literal: true

require "pg"
require "trunkline"
require_relative "data/accounts"
require_relative "measure"

module Trunkline
  module Bench
    # What a process does that serves one request at a time: by turns a query, and a transaction of a query and a write.
    class OneAtATime
      WRITE = "UPDATE accounts SET balance = balance + 1 WHERE id = $1"
      private_constant :WRITE

      # The pg gem's only connection, with the interface of a client that is used here.
      class PgConnection
        # @param uri [String]
        def initialize(uri)
          @uri = uri
        end

        # @return [String, nil] the first row's first value
        def value(sql, *parameters) = connection.exec_params(sql, parameters).values.dig(0, 0)

        # @return [void]
        def query(sql, *parameters) = connection.exec_params(sql, parameters).clear

        # @yieldparam transaction [PgConnection] this one
        def transaction = connection.transaction { yield self }

        private

        def connection = @connection ||= PG.connect(@uri)
      end

      # @param uri [String]
      # @param library [Symbol] pg or trunkline
      # @param rows [Integer] of the table of accounts
      # @param first [Integer] which one of its queries this process begins with
      # @param options of Trunkline.postgres
      def initialize(uri:, library:, rows:, first:, **options)
        @db = library == :pg ? PgConnection.new(uri) : Trunkline.postgres(uri, **options)
        @rows = rows
        @number = first
      end

      # @param seconds [Numeric]
      # @return [Hash{Symbol => Object}] answered: requests; cpu: seconds of this process; errors: what callers were told
      def work(seconds)
        answered, errors, cpu, start = 0, [], Measure.own_cpu, Measure.now
        while Measure.now - start < seconds
          error = ask
          error ? errors << error : answered += 1
        end
        { answered: answered, errors: errors, cpu: Measure.own_cpu - cpu }
      end

      # Requests of each kind, after which all connections are open that they take: the first transaction's connection is shared afterwards, and the second one
      # opens another.
      #
      # @return [void]
      def ask_each = 3.times { ask }

      # @return [Hash{Symbol => Object}] seconds: that a query took; error: what its caller was told, or nil
      def ask_once
        start = Measure.now
        error = telling { read(@db) }
        { seconds: Measure.now - start, error: error }
      end

      private

      # @return [String, nil] what the caller was told; nil: no error
      def ask
        @number += 1
        telling { @number.even? ? read(@db) : @db.transaction { |transaction| change(transaction) } }
      end

      def read(asked) = asked.value(Accounts::SELECT, id)

      def change(transaction)
        read(transaction)
        transaction.query(WRITE, id)
      end

      def id = Accounts.id(@number, @rows)

      def telling
        yield
        nil
      rescue Trunkline::Error, PG::Error => error
        "#{error.class}: #{error.message}"
      end
    end
  end
end
