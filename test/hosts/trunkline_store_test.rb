# frozen_string_literal: true

require "test_helper"
require "support/dalli_oracle"
require "support/memcached_servers"
require "active_support"
require "active_support/cache/trunkline_store"
require "active_support/cache/mem_cache_store"

# Rails' cache store, beside the one that it stands in for.
class TrunklineStoreTest < Trunkline::TestCase
  include Trunkline::MemcachedServers

  KEYS = ["key", :key, "a b%c", "schlüssel", ["list", 1, { a: 2 }], "x" * 300, "ü" * 200, "\xFF".b].freeze
  VALUES = [nil, 1, "text", "tëxt", "\xFF".b, { a: [1, nil] }, "x" * 5000, [1.5, :symbol], Time.at(0)].freeze

  def setup
    super
    @store = store
  end

  def test_the_symbol_finds_it
    assert_instance_of ActiveSupport::Cache::TrunklineStore, ActiveSupport::Cache.lookup_store(:trunkline_store, memcached.address)
  end

  def test_each_reads_what_the_other_has_written
    [nil, 7.0, 7.1].each do |format|
      with_format(format) do
        theirs, ours = their_store, store
        KEYS.product(VALUES) do |key, value|
          ours.write(key, value)
          assert_same(value, theirs.read(key))
          theirs.write(key, value)
          assert_same(value, ours.read(key))
          assert_same(value, ours.read_multi(key)[key])
        end
      end
    end
  end

  def test_raw_values_too
    theirs = their_store
    theirs.write("number", 5, raw: true)
    assert_equal [6, "6", { "number" => "6" }], [@store.increment("number"), @store.read("number", raw: true), @store.read_multi("number", raw: true)]
    @store.write("number", 7, raw: true)
    assert_equal [8, "8"], [theirs.increment("number"), theirs.read("number", raw: true)]
  end

  def test_reading_and_writing
    assert_equal true, @store.write("key", "value", expires_in: 60)
    assert_equal [true, "value", "value"], [@store.exist?("key"), @store.read("key"), @store.fetch("key") { flunk }]
    assert_equal [true, false], [@store.delete("key"), @store.delete("key")]
    assert_equal [nil, "made"], [@store.read("key"), @store.fetch("key") { "made" }]
    assert_equal [true, false], [@store.write("new", 1, unless_exist: true), @store.write("new", 2, unless_exist: true)].map { |written| written || false }
  end

  def test_many
    pairs = (1..50).to_h { |number| ["key#{number}", number.odd? ? nil : [number]] }
    @store.write_multi(pairs, expires_in: 60)
    assert_equal pairs, @store.read_multi(*pairs.keys, "another")
    assert_equal({ "key1" => nil, "fresh" => "fresh!" }, @store.fetch_multi("key1", "fresh") { |name| "#{name}!" })
    assert_equal 51, @store.delete_multi([*pairs.keys, "fresh", "another"])
    assert_empty @store.read_multi(*pairs.keys)
  end

  def test_writing_many_returns_what_the_stock_store_does
    [@store, their_store].map do |store|
      written = store.write_multi({ "a" => 1, "b" => 2 }, expires_in: 60)
      [written.keys.map { |key| key[/\w+\z/] }, written.values.map(&:value), store.write_multi({}), store.with_local_cache { store.write_multi("a" => 1) }.values.map(&:value)]
    end.reduce { |ours, theirs| assert_equal(theirs, ours) }
  end

  def test_versions
    @store.write("key", "value", version: 1)
    assert_equal ["value", nil, {}], [@store.read("key", version: 1), @store.read("key", version: 2), @store.read_multi("key", version: 2)]
  end

  def test_counting
    assert_equal [1, 6, 4, 0], [@store.increment("n"), @store.increment("n", 5), @store.decrement("n", 2), @store.decrement("n", 100)]
    assert_equal 0, @store.decrement("none")
    @store.write("text", "text")
    assert_nil @store.increment("text")
    assert_equal "text", @store.read("text")
  end

  def test_within_a_local_cache
    @store.with_local_cache do
      @store.write_multi("a" => 1, "b" => 2)
      store(namespace: @namespace).write("a", 3)
      assert_equal({ "a" => 1, "b" => 2 }, @store.read_multi("a", "b"))
      @store.delete_multi(%w[a])
      assert_nil @store.read("a")
      assert_equal 1, @store.increment("n")
    end
    assert_equal 2, @store.read("b")
  end

  def test_a_stale_entry_serves_while_it_is_made_anew
    @store.write("key", "old", expires_in: 10, race_condition_ttl: 5)
    later = Time.now + 11
    Time.stub(:now, later) { assert_equal("new", @store.fetch("key", expires_in: 10, race_condition_ttl: 5) { (assert_equal "old", @store.read("key")) && "new" }) }
  end

  def test_an_unreachable_cache_is_an_empty_one
    reports = []
    ActiveSupport.error_reporter.subscribe(Class.new { define_method(:report) { |error, source:, **| reports << [error.class, source] } }.new)
    gone = ActiveSupport::Cache::TrunklineStore.new("127.0.0.1:1")
    assert_equal [nil, nil, false, {}, nil, 0], [gone.read("key"), gone.write("key", 1), gone.delete("key"), gone.read_multi("a"), gone.increment("n"), gone.delete_multi(["a"])]
    assert_equal ["made", { "a" => "made" }], [gone.fetch("key") { "made" }, gone.fetch_multi("a") { "made" }]
    assert_nil gone.clear
    assert_includes reports, [Trunkline::ConnectionError, "trunkline_store.active_support"]
  end

  def test_an_unreachable_cache_raises_if_the_option_says_so
    gone = ActiveSupport::Cache::TrunklineStore.new("127.0.0.1:1", raise_errors: true)
    assert_raises(Trunkline::ConnectionError) { gone.read("key") }
  end

  def test_options
    assert_raises(ArgumentError) { store(nonsense: 1) }
    assert_raises(Trunkline::ConfigError) { ActiveSupport::Cache::TrunklineStore.new(:symbol) }
    assert_raises(ArgumentError) { with_cache { |cache| ActiveSupport::Cache::TrunklineStore.new(cache, timeout: 1) } }
    with_cache { |cache| assert_equal 1, ActiveSupport::Cache::TrunklineStore.new(cache).increment("shared") }
    assert_match(/TrunklineStore.*#{memcached.address}/, @store.inspect)
    assert_equal [memcached.address], @store.stats.keys
  end

  private

  def store(**options)
    @namespace ||= Trunkline::MemcachedServers.namespace
    ActiveSupport::Cache::TrunklineStore.new(memcached.address, { namespace: @namespace, timeout: 20, **options })
  end

  def their_store = ActiveSupport::Cache::MemCacheStore.new(memcached.address, { namespace: @namespace, protocol: :meta, pool: false })

  def with_format(format)
    before = ActiveSupport::Cache.format_version
    ActiveSupport::Cache.format_version = format if format
    yield
  ensure
    ActiveSupport::Cache.format_version = before
  end

  def assert_same(expected, actual) = expected.nil? ? assert_nil(actual) : assert_equal(expected, actual)
end
