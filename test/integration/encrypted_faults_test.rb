# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "support/tls_authority"
require "support/tls_front"

module Trunkline
  # What a server, or a network in front of it, may do to an encrypted connection in use.
  module EncryptedFaults
    NAMES = %w[DNS:localhost IP:127.0.0.1].freeze
    BROKEN = /the encrypted connection broke: [a-z]/
    CLOSED = /the server closed the connection|reset/
    FAULTS = [*TLSFront::FAULTS.keys, :farewell].freeze

    # Those in flight on the connection are told that their answers are lost; a transaction over another connection, and later queries, are not.
    def test_an_end_in_the_middle_of_an_answer
      through_front do |front, db|
        FAULTS.each do |fault|
          front.fault = fault
          db.transaction do |tx|
            neighbour = tx.value("SELECT pg_backend_pid()")
            assert_equal [Indeterminate] * 2, Thread.new { losses(db.async("SELECT 1 #{TLSFront::MARK}"), db.async("SELECT 2")) }.value, fault
            assert_equal neighbour, tx.value("SELECT pg_backend_pid()"), fault
          end
          assert_equal 3, db.value("SELECT 3"), fault
        end
      end
    end

    # The answer to what may be sent twice comes over another connection.
    def test_an_end_that_a_repetition_survives
      through_front do |front, db|
        front.fault = :cut_record
        assert_equal 3, db.value("SELECT 3", idempotent: true)
        lost = db.async("SELECT 1 #{TLSFront::MARK}")
        repeated = db.async("SELECT 2", idempotent: true)
        assert_raises(Indeterminate) { lost.value }
        assert_equal 2, repeated.value[0].values.first
      end
    end

    def test_what_broke_is_reported
      through_front do |front, db|
        { changed_byte: BROKEN, no_tls: BROKEN, alert_in_the_clear: BROKEN, cut_record: CLOSED, no_farewell: CLOSED, farewell: CLOSED }.each do |fault, said|
          front.fault = fault
          assert_match(said, assert_raises(Indeterminate, fault) { db.value("SELECT 1 #{TLSFront::MARK}") }.message)
        end
      end
    end

    # A connection that there is goes on; the next one is refused with the reason, until the server has a certificate again that is believed.
    def test_a_certificate_that_changes_between_connections
      strange = TLSAuthority.new("a stranger").server("strange", names: NAMES)
      unnamed = TLSAuthority.shared.server("unnamed", names: ["DNS:elsewhere"])
      renewed = TLSAuthority.shared.server("renewed", names: NAMES)
      through_front do |front, db|
        assert_equal 1, db.value("SELECT 1")
        { strange => /certificate is not trusted: /, unnamed => /certificate is for "elsewhere".*, not for "127\.0\.0\.1"/ }.each do |context, reason|
          front.context = context
          assert_equal 1, db.value("SELECT 1")
          assert_raises(Indeterminate) { db.value("SELECT 2 #{TLSFront::MARK}") }
          assert_match(reason, assert_raises(Error) { db.value("SELECT 3", deadline: 60) }.message)
          front.context = renewed
          assert_equal 4, db.value("SELECT 4", deadline: 60)
        end
      end
    end

    def test_a_connection_that_replaces_a_lost_one_resumes_its_session
      through_front do |front, db|
        assert_equal 1, db.value("SELECT 1")
        assert_raises(Indeterminate) { db.value("SELECT 2 #{TLSFront::MARK}") }
        assert_equal "3" * 50_000, db.value("SELECT repeat('3', 50000)", deadline: 60)
        assert_equal [false, true], front.resumed
      end
    end

    private

    # @return [Array<Class>] of the futures' errors
    def losses(*futures) = futures.map { |future| assert_raises(Error) { future.value }.class }

    # @yieldparam front [TLSFront]
    # @yieldparam db [Postgres::Client] of one shared connection, and one for transactions
    def through_front
      TLSFront.open(postgres_server, TLSAuthority.shared.server("front", names: NAMES)) do |front|
        uri = "postgresql://postgres@127.0.0.1:#{front.port}/postgres?sslmode=verify-full&sslrootcert=#{TLSAuthority.shared.root}"
        under_way { Trunkline.postgres(uri, connections: 1, max_connections: 2) { |db| yield front, db } }
      end
    end
  end

  # C encrypts and decrypts.
  class EncryptedFaultsTest < TestCase
    include EncryptedFaults

    def under_way
      assert_nil Socket::TLS::Libssl.obstacle
      yield
    end
  end

  # Ruby's openssl does, as where its libssl does not offer what C calls: LibreSSL, for example, or another version.
  class EncryptedFaultsThroughRubyTest < TestCase
    include EncryptedFaults

    def under_way(&block) = Socket::TLS::Libssl.stub(:obstacle, "its libssl does not offer SSL_read", &block)
  end
end
