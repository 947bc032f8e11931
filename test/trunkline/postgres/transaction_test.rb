# frozen_string_literal: true

require "test_helper"
require "support/query_messages"
require "support/scripted_server"

module Trunkline
  module Postgres
    # Transactions with servers that refuse what no server at hand refuses.
    class TransactionTest < TestCase
      include QueryMessages

      # Nothing runs without the transaction that it was to be part of.
      def test_begin_fails
        with_peer(failure("0A000", "no such transactions here") + ready("I")) do |db, units|
          error = assert_raises(Closed) { db.transaction(isolation: :serializable) { |tx| go_on_after_failure(tx, units) } }
          assert_match(/BEGIN failed/, error.message)
          assert_equal ["BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT 1"], units.first
        end
      end

      def test_begin_fails_and_the_block_with_it
        with_peer(failure("0A000", "no such transactions here") + ready("I")) do |db, units|
          assert_raises(FeatureNotSupported) { db.transaction { |tx| tx.query("SELECT 1") } }
          assert_equal ["BEGIN", "SELECT 1"], units.first
          refute_includes units.drop(1).flatten, "ROLLBACK"
        end
      end

      private

      def go_on_after_failure(transaction, units)
        assert_raises(FeatureNotSupported) { transaction.query("SELECT 1") }
        sent = units.size
        assert_raises(Closed) { transaction.query("SELECT 2") }
        assert_raises(Closed) { transaction.transaction { |savepoint| savepoint.query("SELECT 3") } }
        assert_equal sent, units.size
      end

      # @param answer [String] to every unit
      # @yieldparam units [Array<Array<String>>] the SQL that each has parsed
      def with_peer(answer)
        units = []
        script = ->(peer) { peer.startup && peer << BackendMessages.authentication(0) + BackendMessages.session && answer_units(peer, answer, units) }
        ScriptedServer.open(script) { |server| Trunkline.postgres(server.conninfo, user: "u", pooler: :session) { |db| yield db, units } }
      end

      def answer_units(peer, answer, units)
        unit = []
        until (type, body = peer.message).first == "X"
          unit << body.split("\0")[1] if type == "P"
          next unless "SQ".include?(type)

          units << unit
          unit = []
          peer << answer
        end
      end
    end
  end
end
