# frozen_string_literal: true

require "test_helper"
require "support/resolver"

module Trunkline
  module Postgres
    # Names that lead elsewhere while no connection can be had.
    class NameWatchTest < TestCase
      include Resolver

      A, B, C = %w[10.0.0.1 10.0.0.2 10.0.0.3].freeze
      private_constant :A, :B, :C

      def setup
        super
        @now = 1000.0
        @names = {}
        @watch = Postgres.const_get(:NameWatch).new
        @host = Config.new("host=#{name}.example user=ann", env: {}).hosts.first
      end

      def test_only_names_are_looked_up
        config = Config.new("host=#{A},/tmp,db.example,db.example hostaddr=,,,#{A} user=ann", env: {})
        assert_equal [false, false, true, false], config.hosts.map { |host| !@watch.attempt(host).nil? }
      end

      # The resolver's order counts until one has failed.
      def test_addresses_that_have_failed_are_tried_last
        assert_equal [[A, B], [B, A], [A, B]], [fail_at(A, B), fail_at(A, B), fail_at(A, B)]
        @watch.succeeded
        assert_equal [A, B], fail_at(A, B)
      end

      # Each connection would wait for the first address again. After a while it is tried first again.
      def test_an_address_that_was_tried_in_vain_before_another_is_tried_last
        assert_equal [[A, B, C], [B, C, A]], Array.new(2) { connect_to(B, A, B, C) }
        @now += 14
        assert_equal [B, C, A], connect_to(B, A, B, C)
        @now += 2
        assert_equal [[B, C, A], [A, B, C]], Array.new(2) { connect_to(B, A, B, C) }
      end

      # A name that leads elsewhere and back: it is not known that its first address does not work.
      def test_addresses_of_a_name_that_was_moved_are_forgotten
        fail_at(A)
        connect_to(B, B)
        fail_at(B)
        assert moved_to(A)
      end

      def test_nothing_has_moved
        refute_predicate @watch, :address_changed?
        fail_at(A, B)
        @now += 100
        refute moved_to(B, A), "another order is nothing new"
        @watch.succeeded
        refute moved_to(C), "there is a connection"
      end

      def test_a_name_that_is_moved
        fail_at(A)
        assert moved_to(B)
        assert moved_to(A, B)
        @watch.succeeded
        fail_at(A, B)
        assert moved_to(B), "it was not tried"
      end

      # A resolver that gives two addresses in turn has neither tried more often than the pauses allow.
      def test_an_address_that_has_just_failed_is_nothing_new
        fail_at(A)
        fail_at(B)
        refute moved_to(A)
        @now += 14
        refute moved_to(A)
        @now += 2
        assert moved_to(A)
      end

      def test_a_name_that_cannot_be_looked_up
        fail_at(A)
        refute moved_to(SocketError.new("getaddrinfo: Temporary failure in name resolution"))
        refute moved_to
        fail_with { |attempt| assert_nil attempt.first }
        assert moved_to(B), "it could not be looked up before"
      end

      # It ends with the caller's time, and the next caller asks again.
      def test_a_resolver_that_hangs
        fail_at(A)
        hung = Thread::Queue.new
        refute(resolving(@host.host => hung) { Deadlines.hold(Socket::Readiness.now + 0.01) { @watch.address_changed? } })
        hung << [B]
        assert(resolving(@host.host => hung) { @watch.address_changed? })
      end

      # Under way: a look-up about each second, and no other wait.
      def test_during_an_attempt
        fail_with do |attempt|
          attempt.order([Addrinfo.tcp(A, 5432)])
          assert_equal [nil, true], [attempt.wait.io, (@now + 0.5..@now + 1).cover?(attempt.wait.deadline)]
          assert_equal [false, true], [look_to(attempt, A), look_to(attempt, B)]
        end
      end

      private

      def at_this_time(&block) = Waiting.stub(:now, -> { @now }, &block)

      def fail_with
        at_this_time do
          attempt = @watch.attempt(@host)
          yield(attempt).tap { @watch.failed(attempt) }
        end
      end

      # @return [Array<String>] addresses in the order in which they are tried
      def fail_at(*addresses)
        fail_with do |attempt|
          @now += 0.1
          attempt.order(addresses.map { |address| Addrinfo.tcp(address, 5432) }).map(&:ip_address)
        end
      end

      # @return [Array<String>] addresses in the order in which they are tried
      def connect_to(address, *addresses)
        at_this_time do
          attempt = @watch.attempt(@host)
          order = attempt.order(addresses.map { |one| Addrinfo.tcp(one, 5432) }).map(&:ip_address)
          @watch.succeeded(attempt, [address, 5432])
          order
        end
      end

      def moved_to(*addresses)
        found = addresses.first.is_a?(Exception) ? addresses.first : addresses
        at_this_time { resolving(@host.host => found) { @watch.address_changed? } }
      end

      def look_to(attempt, *addresses)
        resolving(@host.host => addresses) do
          moved = attempt.resume
          moved = (Socket::Readiness.wait_for_any([attempt.wait], nil) && attempt.resume) while attempt.lookup_running?
          moved
        end
      end
    end
  end
end
