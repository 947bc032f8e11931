# frozen_string_literal: true

require "test_helper"
require "support/dalli_oracle"
require "support/eventually"
require "support/memcached_servers"
require "support/scripted_memcached"

module Trunkline
  module Memcached
    # Keys over several servers, some of them down.
    class SeveralServersTest < TestCase
      include DalliOracle
      include Eventually
      include MemcachedServers

      def setup
        super
        @fleet = %i[one two three].map { |name| MemcachedServers.server(name) }
        @servers = @fleet.map(&:address)
      end

      def test_dalli_finds_what_we_store_and_the_reverse
        pairs = keys(Random.new(Minitest.seed), 300).zip(1..).to_h
        theirs = dalli(*@servers, namespace: "fleet")
        Trunkline.memcached(@servers, namespace: "fleet", timeout: 30) do |cache|
          cache.set_multi(pairs)
          assert_equal pairs, pairs.keys.to_h { |key| [key, theirs.get(key)] }
          pairs.each_key { |key| theirs.set(key, [key]) }
          assert_equal pairs.keys.to_h { |key| [key, [key]] }, cache.get_multi(pairs.keys)
          pairs.each_key { |key| assert_equal [key], cache.get(key) }
        end
        assert_equal 3, theirs.stats.values.count { |statistics| statistics["curr_items"].to_i.positive? }
      ensure
        theirs&.close
      end

      def test_weights
        servers = ["#{@servers[0]}:5", "#{@servers[1]}:1", @servers[2]]
        theirs = dalli(*servers, namespace: "weights")
        Trunkline.memcached(servers, namespace: "weights", timeout: 30) do |cache|
          keys(Random.new(1), 200).each { |key| assert cache.set(key, key) && theirs.get(key) == key }
        end
      ensure
        theirs&.close
      end

      def test_another_has_the_keys_of_a_server_that_is_down
        with_one_down do |servers|
          Trunkline.memcached(servers, namespace: "failover", timeout: 30) do |cache|
            numbers = (1..100).to_a
            numbers.each { |number| cache.set("key#{number}", number) }
            assert_equal numbers, numbers.map { |number| cache.get("key#{number}") }
            assert_equal 100, cache.get_multi(numbers.map { |number| "key#{number}" }).size
            assert_equal [nil, "1.6.18"[0]], [cache.version[servers.last], cache.version[servers.first][0]]
            assert_nil cache.stats[servers.last]
          end
        end
      end

      def test_without_failover_its_keys_have_no_server
        with_one_down do |servers|
          Trunkline.memcached(servers, namespace: "alone", failover: false, timeout: 30) do |cache|
            outcomes = (1..100).map { |number| outcome { cache.set("key#{number}", number) } }
            assert_equal [true, Trunkline::ConnectionError], outcomes.uniq.sort_by(&:to_s).reverse
            assert_equal outcomes.count(true), cache.get_multi((1..100).map { |number| "key#{number}" }).size
            assert_equal false, cache.set_multi((1..100).to_h { |number| ["key#{number}", number] })
          end
        end
      end

      def test_no_server_is_there
        with_memcached do |server|
          server.stop
          Trunkline.memcached(server.address, "127.0.0.1:1", timeout: 30) do |cache|
            error = assert_raises(Trunkline::ConnectionError) { cache.get("key") }
            assert_predicate error, :retriable?
            refute_predicate error, :sent?
            assert_equal [{}, 0, false], [cache.get_multi("a", "b"), cache.delete_multi("a"), cache.set_multi("a" => 1)]
          end
        end
      end

      def test_a_server_that_comes_back_is_found_again
        with_memcached do |server|
          Trunkline.memcached(server.address, down_retry_delay: 0.001, timeout: 30) do |cache|
            cache.set("key", 1)
            server.stop
            assert_raises(Trunkline::Error) { cache.get("key") }
            server.start
            assert eventually { outcome { cache.set("key", 2) } == true }
            assert_equal 2, cache.get("key")
          end
        end
      end

      def test_a_server_that_is_down_is_left_alone_for_a_while
        with_memcached do |server|
          server.stop
          Trunkline.memcached(server.address, down_retry_delay: 1000, timeout: 30) do |cache|
            refute_match(/not tried again/, assert_raises(Trunkline::ConnectionError) { cache.get("key") }.message)
            assert eventually { assert_raises(Trunkline::ConnectionError) { cache.get("key") }.message.match?(/connection refused.*not tried again for now/) }
          end
        end
      end

      def test_a_restart_between_two_calls_is_not_noticed
        with_memcached do |server|
          Trunkline.memcached(server.address, timeout: 30) do |cache|
            cache.set("key", 1)
            server.stop
            server.start
            assert_nil cache.get("key")
          end
        end
      end

      def test_a_query_whose_server_dies_is_sent_to_another
        dying = nil
        script = lambda do |socket, _line|
          dying.listener.close
          socket.close
        end
        ScriptedMemcached.open(script) do |server|
          dying = server
          Trunkline.memcached(server.address, memcached.address, namespace: MemcachedServers.namespace, timeout: 30) do |cache|
            keys = (1..20).map { |number| "key#{number}" }
            assert_equal [nil], keys.map { |key| cache.get(key) }.uniq
            keys.each { |key| assert cache.set(key, key) }
            assert_equal keys, keys.map { |key| cache.get(key) }
          end
        end
      end

      def test_a_unix_socket
        with_memcached(unix: true) do |server|
          Trunkline.memcached(server.address, timeout: 30) { |cache| assert_equal "value", cache.set("key", "value") && cache.get("key") }
          server.stop
          error = assert_raises(Trunkline::ConnectionError) { Trunkline.memcached(server.address, timeout: 30) { |cache| cache.get("key") } }
          assert_match(/there is no such socket|the socket is there/, error.message)
        end
      end

      private

      def with_one_down
        with_memcached do |server|
          server.stop
          yield [*@servers, server.address]
        end
      end

      def outcome
        yield && true
      rescue Trunkline::Error => error
        error.class
      end
    end
  end
end
