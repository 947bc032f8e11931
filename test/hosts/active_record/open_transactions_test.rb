# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "support/active_record_host"

module Hosts
  module ActiveRecord
    # A transaction that is open when its connection goes back to ActiveRecord's pool, as at the end of a request: what ActiveRecord believes of
    # it is what the server knows.
    class OpenTransactionsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      # As the :transaction strategy of DatabaseCleaner begins one around a test.
      def test_one_that_cannot_be_joined_is_its_owners_to_end
        with_model("name text") do |model|
          ours.begin_transaction(joinable: false)
          assert_agreement(1)
          model.create!(name: "kept")
          assert_agreement(1)
          Ours.connection_pool.release_connection
          assert_agreement(1)
          model.transaction { model.create!(name: "nested") && assert_agreement(2) }
          Ours.connection_pool.release_connection
          assert_equal %w[kept nested], model.order(:id).pluck(:name)
          ours.rollback_transaction
          assert_agreement(0)
          assert_equal 0, model.count
        end
        Ours.connection_pool.release_connection
        refute_predicate ours.raw_connection, :pinned?
      end

      def test_one_that_was_forgotten_ends
        told = StringIO.new
        with_model("name text") do |model|
          logging(told) do
            ours.begin_transaction
            model.create!(name: "lost")
            ours.begin_transaction
            Ours.connection_pool.release_connection
          end
          assert_agreement(0)
          assert_equal 0, model.count
        end
        assert_match(/WARN -- : a transaction was open when its connection went back to ActiveRecord's pool: it is rolled back$/, told.string)
      end

      # After each of random steps, transactions in transactions and a connection that goes back to its pool among them, both are asked: how deep
      # ActiveRecord believes itself to be, what the server says of the session, and what is in the table.
      def test_what_active_record_believes_is_what_the_server_knows_after_each_step
        seed = rand(1 << 16)
        random = Random.new(seed)
        with_model("name text") do |model|
          open = [] # whether each can be joined, and the rows before it
          rows = 0
          120.times do |number|
            step = %i[begin begin write commit rollback release][random.rand(6)]
            open, rows = take(step, open, rows, random.rand < 0.5, model)
            said = "seed #{seed}, step #{number}: #{step}"
            assert_equal [rows, open.size], [model.count, ours.open_transactions], said
            assert_equal open.empty? ? ::PG::PQTRANS_IDLE : ::PG::PQTRANS_INTRANS, ours.raw_connection.transaction_status, said
          end
        ensure
          ours.rollback_transaction while ours.transaction_open?
        end
      end

      def test_one_whose_connection_is_lost_is_forgotten
        ours.begin_transaction
        pid = ours.select_value("SELECT pg_backend_pid()")
        psql("SELECT pg_terminate_backend(#{pid})")
        Ours.connection_pool.release_connection
        assert_agreement(0)
        assert_equal 1, ours.select_value("SELECT 1")
      end

      private

      # @return [Array(Array, Integer)] the transactions that are open then, and the rows there are
      def take(step, open, rows, joinable, model)
        return [open, rows] if open.empty? && %i[commit rollback].include?(step)

        carry_out(step, joinable, model)
        case step
        when :begin then [[*open, [joinable, rows]], rows]
        when :write then [open, rows + 1]
        when :commit then [open[0...-1], rows]
        when :rollback then [open[0...-1], open.last.last]
        when :release then open.empty? || !open.first.first ? [open, rows] : [[], open.first.last]
        end
      end

      def carry_out(step, joinable, model)
        case step
        when :begin then ours.begin_transaction(joinable: joinable)
        when :write then model.create!(name: "row")
        when :commit then ours.commit_transaction
        when :rollback then ours.rollback_transaction
        when :release then Ours.connection_pool.release_connection
        end
      end

      # @param depth [Integer] transactions that ActiveRecord has open
      def assert_agreement(depth)
        assert_equal depth, ours.open_transactions
        expected = depth.positive? && ours.raw_connection.pinned? ? [::PG::PQTRANS_INTRANS] : [::PG::PQTRANS_IDLE, ::PG::PQTRANS_INTRANS].first(depth.positive? ? 2 : 1)
        assert_includes expected, ours.raw_connection.transaction_status
      end

      def logging(output)
        logger = ::ActiveRecord::Base.logger
        ::ActiveRecord::Base.logger = Logger.new(output)
        yield
      ensure
        ::ActiveRecord::Base.logger = logger
      end
    end
  end
end
