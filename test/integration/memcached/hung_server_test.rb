# frozen_string_literal: true

require "test_helper"
require "async"
require "support/eventually"
require "support/memcached_servers"
require "support/schedulers/reference_scheduler"
require "support/scripted_memcached"

module Trunkline
  module Memcached
    # A server that takes connections and commands, and is silent; among others that answer.
    class HungServerTest < TestCase
      include Eventually
      include MemcachedServers

      TIMEOUT = 1 # seconds; each test waits for it once
      KEYS = (1..60).map { |number| "key#{number}" }.freeze
      ANSWERS = { "mg" => "EN", "ms" => "HD", "md" => "NF", "mn" => "MN" }.freeze
      # Finds nothing, and does what it is told.
      EMPTY = lambda do |socket, line|
        command = line[0, 2]
        socket.read(Integer(line.split[2]) + 2) if command == "ms"
        socket << "#{ANSWERS.fetch(command)}#{ScriptedMemcached.number(line)}\r\n" unless line.include?(" q ")
      end

      def test_many_keys_cost_those_of_the_hung_server_alone
        with_hung_one do |cache, hung, failures|
          theirs = KEYS - keys_of(hung)
          assert_equal theirs.to_h { |key| [key, key] }, cache.get_multi(KEYS)
          assert_equal [[Deadline, hung.address]], failures
          assert_equal [false, theirs.size], [cache.set_multi(KEYS.to_h { |key| [key, key] }), cache.delete_multi(KEYS)]
          assert_equal [ConnectionError], failures.drop(1).map(&:first).uniq
        end
      end

      def test_fibers_too
        with_hung_one do |cache, hung, failures|
          found = Sync { |task| Array.new(5) { task.async { cache.get_multi_cas(KEYS) } }.map(&:wait) }
          assert_equal [KEYS - keys_of(hung)], found.map(&:keys).uniq.map { |keys| KEYS & keys }
          assert_equal 5, failures.size
        end
      end

      def test_it_raises_if_the_option_says_so
        with_hung_one(raise_errors: true) do |cache, hung|
          key = keys_of(hung).first
          assert_equal hung.address, assert_raises(Deadline) { cache.get_multi(KEYS) }.server
          assert_raises(ConnectionError) { cache.fetch(key) { flunk } }
          assert_raises(ConnectionError) { cache.set_multi(key => 1) }
        end
      end

      def test_one_key
        with_hung_one do |cache, hung, failures|
          key = keys_of(hung).first
          assert_equal "made", cache.fetch(key) { "made" }
          assert_equal [[Deadline, hung.address]], failures
          assert_raises(ConnectionError) { cache.get(key) }
          assert_equal ["made", "made"], [cache.fetch(key) { "made" }, cache.fetch(key, 60, lock_ttl: 5) { "made" }]
          assert_equal 3, failures.size
        end
      end

      # The one connection is opened to ask, and used when it answers.
      def test_one_caller_probes_it_and_then_it_is_used_at_once
        with_hung_one(down_retry_delay: 1000) do |cache, hung|
          key, known = keys_of(hung).first, hung.connections
          assert_raises(Deadline) { cache.get(key) }
          assert_raises(ConnectionError) { cache.get(key) }
          assert eventually { hung.connections == known + 1 }
          outage_of(hung).instance_variable_set(:@probe_at, Float::INFINITY) # the pause does not end
          outcomes = Array.new(20) { Thread.new { outcome { cache.get(key) } } }.map(&:value)
          assert_equal [[ConnectionError], known + 1], [outcomes.uniq, hung.connections]
          hung.resume
          assert eventually { outcome { cache.set(key, 1) }.is_a?(Integer) }
          assert_equal known + 1, hung.connections
        end
      end

      # It was let in before the server was found to be out.
      def test_a_caller_that_waited_for_room_meanwhile_opens_no_connection
        with_hung_one(down_retry_delay: 1000) do |cache, hung|
          key = keys_of(hung).first
          assert_raises(Deadline) { cache.get(key) }
          connections = hung.connections
          pool = server_of(hung).instance_variable_get(:@pool)
          assert_raises(ConnectionError) { pool.perform(Memcached.const_get(:Request).line("mn", "MN")) }
          assert_equal connections, hung.connections
        end
      end

      # The first fiber waits for the answer; the second one, which is refused meanwhile, waits for nothing.
      def test_a_fiber_that_tries_again_at_once_leaves_turns_to_the_one_that_probes
        with_hung_one do |cache, hung|
          key = keys_of(hung).first
          assert_raises(Deadline) { cache.get(key) }
          ReferenceScheduler.run(limit: 20) do
            Fiber.schedule { outcome { cache.get(key) } }
            refused = 0
            while outcome { cache.set(key, 1) } == ConnectionError
              refused += 1
              hung.resume if refused == 100
            end
            assert_operator refused, :>=, 100
          end
        end
      end

      def test_callers_with_little_time_find_it_out_together
        with_hung_one(timeout: 0.4) do |cache, hung|
          key = keys_of(hung).first
          assert eventually { Trunkline.deadline(0.05) { outcome { cache.get(key) } } == ConnectionError }
        end
      end

      def test_a_child_does_not_use_the_answer_to_its_parents_request
        with_hung_one do |cache, hung|
          key = keys_of(hung).first
          2.times { assert_raises(Error) { cache.get(key) } }
          read, write = IO.pipe
          child = fork do
            hung.listener.close
            write << outcome { cache.get(key) }.name
            exit!
          end
          write.close
          assert_equal "Trunkline::ConnectionError", read.read
          Process.wait(child)
          hung.resume
          assert eventually { outcome { cache.set(key, 1) }.is_a?(Integer) }
        end
      end

      private

      # @yieldparam cache [Client] of two servers that have all keys, and one that has been connected to and is silent by now
      # @yieldparam hung [ScriptedMemcached]
      # @yieldparam failures [Array] the class and server of what on_error got
      def with_hung_one(**options)
        failures = []
        on_error = ->(error) { failures << [error.class, error.server] }
        ScriptedMemcached.open(EMPTY) do |hung|
          servers = [MemcachedServers.server(:one).address, MemcachedServers.server(:two).address, hung.address]
          Trunkline.memcached(servers, namespace: MemcachedServers.namespace, timeout: TIMEOUT, failover: false, on_error: on_error, **options) do |cache|
            @ring = cache.instance_variable_get(:@cluster).instance_variable_get(:@ring)
            @servers = @ring.servers
            @keys = cache.instance_variable_get(:@keys)
            assert eventually { outcome { cache.set_multi(KEYS.to_h { |key| [key, key] }) } == true } # a busy machine may exceed the timeout
            failures.clear
            hung.hang
            yield cache, hung, failures
          end
        end
      end

      def server_of(server) = @servers.find { |known| known.name == server.address }

      def outage_of(server) = server_of(server).instance_variable_get(:@outage)

      def keys_of(server)
        @keys_of ||= KEYS.select { |key| @ring.send(:at, Zlib.crc32(@keys.wire(key))).name == server.address }
      end

      def outcome
        yield
      rescue Trunkline::Error => error
        error.class
      end
    end
  end
end
