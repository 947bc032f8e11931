# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"

# What a beginner types for memcached, and what is told of it: the cause, and what to call.
class MemcachedWrongUsagesTest < Trunkline::TestCase
  include Trunkline::MemcachedServers

  CALLS = {
    'get("a", "b")' => [->(cache) { cache.get("a", "b") }, /options must be a Hash, not "b": several keys go to get_multi/],
    "get(%w[a b])" => [->(cache) { cache.get(%w[a b]) }, /a key is a String or a Symbol, not Array: several go to get_multi/],
    "delete(%w[a b])" => [->(cache) { cache.delete(%w[a b]) }, /not Array: several go to get_multi, set_multi or delete_multi/],
    "set({ a: 1 }, 60)" => [->(cache) { cache.set({ a: 1 }, 60) }, /not Hash: several go to get_multi, set_multi/],
    'set("a", 1, ttl: 60)' => [->(cache) { cache.set("a", 1, ttl: 60) }, /a time to live is a number of seconds, not .*stands before the options, as in set\(key, value, 60/],
    'set("a", 1, raw: true)' => [->(cache) { cache.set("a", 1, raw: true) }, /a time to live is a number of seconds.*set\(key, value, 60, raw: true\)/],
    'touch("a", "b")' => [->(cache) { cache.touch("a", "b") }, /a time to live is a number of seconds, not "b"/],
    'set("n", 5); incr("n")' => [->(cache) { cache.set("n", 5) && cache.incr("n") }, /not a number, or was not stored as one: .* with raw: true, or by the default of incr/],
    'incr("n", "2")' => [->(cache) { cache.incr("n", "2") }, /an Integer between 0 and .* is needed to count with, not "2"/],
    "set_multi(%w[a b])" => [->(cache) { cache.set_multi(%w[a b]) }, /set_multi takes a Hash of keys and values, not Array/],
    'cas("a")' => [->(cache) { cache.cas("a") }, /cas needs a block.*set_cas/],
    "get(nil)" => [->(cache) { cache.get(nil) }, /a key cannot be blank/],
    'fetch_with_lock("a")' => [->(cache) { cache.fetch_with_lock("a") }, /needs a block that computes the value/],
    'memcached("x", namspace: 1)' => [->(_) { Trunkline.memcached("x", namspace: 1) }, /no option :namspace, did you mean namespace\?/],
    'memcached("x", expire_in: 1)' => [->(_) { Trunkline.memcached("x", expire_in: 1) }, /no option :expire_in, did you mean expires_in\?/],
    'memcached(host: "x")' => [->(_) { Trunkline.memcached(host: "x") }, /no option host: a server is the first argument, as "host:port"/],
    'memcached(servers: ["x"])' => [->(_) { Trunkline.memcached(servers: ["x"]) }, /no option servers: a server is the first argument/],
    'memcached("x", 11211)' => [->(_) { Trunkline.memcached("x", 11_211) }, /a server is a String, as "host:port", not 11211/],
    'cache["a"]' => [->(cache) { cache["a"] }, /no method \[\] here: write get\(key\)/],
    'mget("a", "b")' => [->(cache) { cache.mget("a", "b") }, /no method mget here: write get_multi\(\*keys\)/],
    'setex("a", 5, 1)' => [->(cache) { cache.setex("a", 5, 1) }, /no method setex here: write set\(key, value, seconds\)/],
    "keys" => [->(cache) { cache.keys }, /no method keys here, as memcached does not list its keys/],
    "Marshal.dump(cache)" => [->(cache) { Marshal.dump(cache) }, /a Trunkline::Memcached::Client cannot be dumped.*dump results/],
    'memcached("redis://x")' => [->(_) { Trunkline.memcached("redis://x") }, /is no server: "host:port"/]
  }.freeze
  private_constant :CALLS

  def test_calls
    Trunkline.memcached(memcached.address, timeout: 30) do |cache|
      CALLS.each do |typed, (call, told)|
        assert_match told, assert_raises(ArgumentError, NoMethodError, TypeError, Trunkline::Error, typed) { call.call(cache) }.message, typed
      end
    end
  end

  def test_a_time_to_live_in_digits
    Trunkline.memcached(memcached.address, timeout: 30) { |cache| assert cache.set("in digits", 1, "60") && cache.touch("in digits", 60) }
  end
end
