# frozen_string_literal: true

require "test_helper"
require "async"
require "support/children"
require "support/eventually"
require "support/memcached_servers"

module Trunkline
  module Memcached
    # Forked children, and a garbage collector that never rests.
    class ProcessesTest < TestCase
      include Children
      include Eventually
      include MemcachedServers

      def test_a_child_opens_its_own_connection
        with_cache do |cache|
          cache.set("key", "parent")
          before = connections
          assert_equal %w[parent child], in_child { [cache.get("key"), cache.set("key", "child") && cache.get("key")] }
          assert_equal "child", cache.get("key")
          assert eventually { connections <= before } # the server may not have seen yet that the child has gone
        end
      end

      def test_a_child_leaves_the_parents_answers_alone
        with_cache do |cache|
          cache.set("key", "x" * 50_000, nil, compress: false)
          asking = Thread.new { Array.new(200) { cache.get("key").size }.uniq }
          children = Array.new(3) { |number| in_child { cache.set("child#{number}", number) && cache.get("child#{number}") } }
          assert_equal [[0, 1, 2], [50_000]], [children, asking.value]
        end
      end

      def test_a_child_may_close
        with_cache do |cache|
          cache.set("key", 1)
          assert_nil in_child { cache.close }
          assert_equal 1, cache.get("key")
        end
      end

      def test_close_leaves_no_socket_and_no_thread
        with_cache { |cache| cache.get("connected") }
        threads = Thread.list
        GC.start
        before = Dir.children("/dev/fd").size
        with_cache { |cache| Array.new(8) { |number| Thread.new { cache.set("key", number) } }.each(&:join) }
        GC.start
        assert_equal [threads, before], [Thread.list, Dir.children("/dev/fd").size]
      end

      def test_many_event_loops_share_one_connection
        with_cache(timeout: 20) do |cache|
          values = Array.new(8) do |number|
            Thread.new { Sync { |task| Array.new(10) { |fiber| task.async { cache.set("k#{number} #{fiber}", fiber) && cache.get("k#{number} #{fiber}") } }.map(&:wait) } }
          end
          assert_equal [(0..9).to_a], values.map(&:value).uniq
        end
      end

      RESTLESS = <<~'RUBY'
        Trunkline.memcached(ARGV.first, namespace: "restless", timeout: nil) do |cache|
          cache.set_multi({ "a" => "värd" * 10, "b" => 2 })
          GC.stress = 1 # young objects only, which are ours
          found = cache.get_multi("a", "none", "b")
          cache.set("c", found)
          GC.stress = false
          p cache.get("c").values
        end
      RUBY
      private_constant :RESTLESS

      def test_under_a_collector_that_never_rests
        output, status = run_program(RESTLESS, memcached.address)
        assert_predicate status, :success?, output
        assert_equal ["värd" * 10, 2].inspect, output.chomp
      end

      def test_it_shows_no_more_than_its_servers
        with_cache { |cache| assert_equal "#<Trunkline::Memcached::Client #{memcached.address}>", cache.inspect }
      end

      private

      # Those of other tests' clients are closed by now, or stay.
      def connections = Trunkline.memcached(memcached.address, timeout: 30) { |cache| cache.stats.values.first.fetch("curr_connections").to_i }
    end
  end
end
