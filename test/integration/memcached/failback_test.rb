# frozen_string_literal: true

require "test_helper"
require "support/eventually"
require "support/memcached_servers"

module Trunkline
  module Memcached
    # A server that is stopped, and goes on with what it had, while others were given changes of its keys.
    class FailbackTest < TestCase
      include Eventually
      include MemcachedServers

      KEYS = (1..90).map { |number| "key#{number}" }.freeze

      def test_what_was_changed_on_others_is_deleted
        with_servers do |cache, server|
          KEYS.each { |key| assert cache.set(key, "old") }
          theirs = out(cache, server)
          change(cache, KEYS)
          goes_on(cache, server)
          assert_equal [KEYS - theirs, ["new"]], [KEYS & cache.get_multi(KEYS).keys, cache.get_multi(KEYS).values.uniq]
          assert_equal [[nil]] * 2, [theirs.map { |key| cache.get(key) }.uniq, on(server) { |alone| theirs.map { |key| alone.get(key) } }.uniq]
        end
      end

      # What the others were given the first time is older than that.
      def test_nothing_old_is_read_when_it_is_out_again
        with_servers do |cache, server|
          out(cache, server)
          change(cache, KEYS)
          goes_on(cache, server)
          KEYS.each { |key| assert cache.set(key, "newer") }
          theirs = out(cache, server)
          assert_equal [nil], theirs.map { |key| cache.get(key) }.uniq
          assert_equal ["newer"], (KEYS - theirs).map { |key| cache.get(key) }.uniq
          goes_on(cache, server)
        end
      end

      def test_what_was_only_read_stays
        with_servers do |cache, server|
          KEYS.each { |key| assert cache.set(key, "old") }
          theirs = out(cache, server)
          assert_equal [nil], theirs.map { |key| cache.get(key) }.uniq
          goes_on(cache, server)
          assert_equal ["old"], theirs.map { |key| cache.get(key) }.uniq
        end
      end

      def test_callers_that_change_keys_meanwhile_lose_none
        with_servers do |cache, server|
          theirs = out(cache, server)
          stopping = false
          threads = Array.new(4) do |caller|
            Thread.new do
              last = {}
              until stopping
                key = "#{theirs.sample} #{caller}"
                last[key] = last.fetch(key, 0) + 1 if cache.set(key, last.fetch(key, 0) + 1)
              end
              last
            end
          end
          goes_on(cache, server)
          stopping = true
          threads.map(&:value).each { |last| last.each { |key, value| assert_includes [nil, value], cache.get(key) } }
        end
      end

      def test_more_than_are_kept_account_of
        told = []
        with_many_missed(on_error: ->(error) { told << error }) do |cache, server, key|
          assert eventually { cache.get(key) && told.any? }
          assert_equal "new", cache.get(key)
          assert_match(/not used until it is flushed \(flush_all\) or restarted, unless failback: says otherwise \(server #{server.address}\)/, told.map(&:message).uniq.join)
          assert_equal [1, nil], [told.size, cache.version[server.address]]
          assert_equal [true] * 3, cache.flush_all
          assert eventually { cache.version[server.address] }
          assert_nil cache.get(key)
        end
      end

      def test_one_that_was_restarted_is_used
        told = []
        with_many_missed(on_error: ->(error) { told << error.class }) do |cache, server, key|
          assert eventually { cache.get(key) && told.any? }
          server.stop
          server.start
          assert eventually { cache.version[server.address] }
          assert_nil cache.get(key)
        end
      end

      def test_one_that_this_client_is_to_flush
        with_many_missed(failback: :flush) do |cache, server, key|
          assert eventually { cache.version[server.address] }
          assert_nil cache.get(key)
          assert_nil(on(server) { |alone| alone.get(key) })
        end
      end

      def test_one_that_is_used_as_it_is
        with_many_missed(failback: :stale) do |cache, server, key|
          assert eventually { cache.version[server.address] }
          assert_equal "old", cache.get(key)
        end
      end

      def test_one_that_could_not_be_flushed_is_flushed_when_it_answers
        with_servers do |cache, server|
          KEYS.each { |key| assert cache.set(key, "old") }
          out(cache, server)
          assert_equal server.address, assert_raises(ConnectionError) { cache.flush_all }.server
          assert_empty cache.get_multi(KEYS)
          goes_on(cache, server)
          assert_empty cache.get_multi(KEYS)
        end
      end

      def test_a_policy_that_does_not_exist
        assert_match(/failback must be :flushed, :flush, :stale, not :back/, assert_raises(ArgumentError) { Trunkline.memcached(failback: :back) }.message)
      end

      private

      # @yieldparam cache [Client] of three servers
      # @yieldparam server [Bench::MemcachedServer] one of them, of this test alone
      def with_servers(**options)
        with_memcached do |server|
          servers = [server.address, MemcachedServers.server(:one).address, MemcachedServers.server(:two).address]
          options = { namespace: MemcachedServers.namespace, timeout: 30, down_retry_delay: 0.02, **options }
          @namespace = options.fetch(:namespace)
          Trunkline.memcached(servers, **options) { |cache| yield cache, server }
        ensure
          Process.kill(:CONT, server.pid)
        end
      end

      # The account is full when the key is changed.
      #
      # @yieldparam key [String]
      def with_many_missed(**options)
        with_servers(**options) do |cache, server|
          KEYS.each { |key| assert cache.set(key, "old") }
          key = out(cache, server).first
          stopped, another = cache.instance_variable_get(:@cluster).servers.first(2)
          10_000.times { |number| assert stopped.missed?("missed#{number}", another) }
          assert cache.set(key, "new")
          Process.kill(:CONT, server.pid)
          yield cache, server, key
        end
      end

      # How a server is found to be out takes a timeout, and is another test's subject: here it is said to be.
      #
      # @return [Array<String>] the keys of the server, which is stopped
      def out(cache, server)
        theirs = belonging(cache, server, KEYS)
        Process.kill(:STOP, server.pid)
        stopped = cache.instance_variable_get(:@cluster).servers.find { |known| known.name == server.address }
        stopped.renew
        stopped.send(:begin_outage, ConnectionError.new("it was stopped", server: server.address), at_once: true)
        assert_nil cache.version[server.address]
        theirs
      end

      def goes_on(cache, server)
        Process.kill(:CONT, server.pid)
        assert eventually { cache.version[server.address] }
      end

      def belonging(cache, server, keys)
        ring, names = cache.instance_variable_get(:@cluster).instance_variable_get(:@ring), cache.instance_variable_get(:@keys)
        keys.select { |key| ring.send(:at, Zlib.crc32(names.wire(key))).name == server.address }
      end

      def on(server, &block) = Trunkline.memcached(server.address, namespace: @namespace, timeout: 30, &block)

      # By each of the ways there are.
      def change(cache, keys)
        singles, quiet, many, deleted = keys.each_slice((keys.size / 4.0).ceil).to_a
        singles.each { |key| assert cache.set(key, "new") }
        cache.quiet { quiet.each { |key| cache.set(key, "new") } }
        assert cache.set_multi(many.to_h { |key| [key, "new"] })
        cache.delete_multi(deleted)
        deleted.each { |key| assert cache.add(key, "new") }
      end
    end
  end
end
