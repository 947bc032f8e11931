# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"

# Commands of a memcached client through middlewares.
class MemcachedMiddlewaresTest < Trunkline::TestCase
  include Trunkline::MemcachedServers

  # Writes down what comes by, and how it ends.
  module Log
    def self.entries = @entries ||= []

    def connect(server)
      Log.entries.push([:connect, server])
      super
    end

    def command(name, keys, server)
      super.tap { Log.entries.push([name, keys]) }
    rescue Trunkline::Error => error
      Log.entries.push([name, keys, error.class])
      raise
    end
  end

  def setup
    super
    Log.entries.clear
  end

  def test_commands_by_their_names
    with_cache(middlewares: [Log]) do |cache|
      cache.set("a", 1)
      cache.add("b", "2", 60, raw: true)
      assert_equal 1, cache.get("a")
      cache.incr("b")
      cache.delete("a")
      assert_equal 3, cache.fetch("c") { 3 }
      assert_equal [:connect, memcached.address], Log.entries.shift
      assert_equal [["ms", ["a"]], ["ms", ["b"]], ["mg", ["a"]], ["ma", ["b"]], ["md", ["a"]], ["mg", ["c"]], ["ms", ["c"]]], commands
    end
  end

  def test_many_keys_and_none
    with_cache(middlewares: [Log]) do |cache|
      cache.set_multi("a" => 1, "b" => 2)
      assert_equal({ "a" => 1, "b" => 2 }, cache.get_multi("a", "b"))
      assert_equal 2, cache.delete_multi("a", "b")
      cache.version
      cache.stats(:settings)
      assert_equal [["ms", %w[a b]], ["mg", %w[a b]], ["md", %w[a b]], ["version", []], ["stats", []]], commands
    end
  end

  def test_a_server_that_is_not_there
    Trunkline.memcached("127.0.0.1:1", middlewares: [Log]) do |cache|
      assert_raises(Trunkline::ConnectionError) { cache.get("a") }
      assert_equal [[:connect, "127.0.0.1:1"], ["mg", ["a"], Trunkline::ConnectionError]], Log.entries
    end
  end

  private

  # Without the namespace that the keys have there.
  def commands
    Log.entries.select { |name,| name.is_a?(String) }.map { |name, keys| [name, keys.map { |key| key[/\w+\z/] }] }
  end
end
