# frozen_string_literal: true

require "test_helper"
require "async"
require "openssl"
require "support/dalli_oracle"
require "support/memcached_servers"
require "support/scripted_memcached"

module Trunkline
  module Memcached
    # What Dalli's callers call, beside Dalli itself; and what a caller is told whose servers cannot be used as they are.
    class MovingOverTest < TestCase
      include DalliOracle
      include MemcachedServers

      TEXTS = [*%w[UTF-8 BINARY US-ASCII ISO-8859-1 UTF-16LE].map { |encoding| "text".encode("UTF-8").force_encoding(encoding) }, "tëxt", "tëxt".b, "", "".b,
               "tëxt".encode("ISO-8859-1"), "\xFF", ("x" * 5000), ("x" * 5000).b, ("ë" * 5000), Random.new(1).bytes(5000)].freeze

      def test_a_string_keeps_its_encoding_between_both
        beside_dalli do |ours, theirs|
          [[ours, ours], [ours, theirs], [theirs, ours]].product(TEXTS) do |(writer, reader), text|
            writer.set("key", text)
            assert_equal [text, text.encoding], [reader.get("key"), reader.get("key").encoding]
            assert_equal text.encoding, reader.get_multi("key").fetch("key").encoding
            writer.set("key", text, nil, raw: true)
            assert_equal [text.b, Encoding::BINARY], [reader.get("key"), reader.get("key").encoding]
          end
        end
      end

      def test_metadata_are_those_of_dalli
        all = { return_hit_status: true, return_last_access: true }
        beside_dalli do |ours, theirs|
          assert_equal theirs.get_with_metadata("none", all).merge(miss: true), ours.get_with_metadata("none", all)
          ours.set("ours", ["value"])
          ours.set("theirs", ["value"])
          2.times do
            [{}, all.merge(skip_lru_bump: true), all, { return_cas: false }].each do |options|
              known = [theirs.get_with_metadata("theirs", options).merge(miss: false), ours.get_with_metadata("ours", options)]
              seconds = known.map { |one| one.delete(:last_access) } # the server's clock may tick between the two
              assert_equal(*known.map { |one| one.except(:cas) })
              assert_equal [options[:return_last_access]], seconds.map { |one| one&.between?(0, 60) }.uniq
            end
          end
          assert_equal [ours.get_cas("ours"), true], [ours.get_with_metadata("ours").values_at(:value, :cas), ours.get_with_metadata("ours", all)[:hit_before]]
          assert_equal Marshal.dump(["value"]), ours.get_with_metadata("ours", raw: true)[:value]
          assert_raises(ArgumentError) { ours.get_with_metadata("ours", nonsense: 1) }
        end
      end

      def test_metadata_that_dalli_5_has_too
        with_cache do |cache|
          cache.set("for ever", nil)
          cache.set("a minute", 1, 60)
          known = %w[for\ ever a\ minute none].map { |key| cache.get_with_metadata(key, return_ttl_remaining: true) }
          assert_equal [false, false, true], (known.map { |one| one[:miss] })
          assert_equal [-1, true, 0], [known[0][:ttl_remaining], known[1][:ttl_remaining].between?(1, 60), known[2][:ttl_remaining]]
          assert_equal [true, false], (Array.new(2) { cache.get_with_metadata("a minute", recache_ttl: 90)[:won_recache] })
          assert_equal [true, false], (Array.new(2) { cache.get_with_metadata("a place", vivify_ttl: 30)[:won_recache] })
          assert_raises(ArgumentError) { cache.get_with_metadata("a place", vivify_ttl: "soon\r\nflush_all", recache_ttl: Object.new) }
        end
      end

      def test_misses_are_those_of_dalli
        beside_dalli do |ours, theirs|
          [[:replace, 1], [:replace_cas, 1, 5], [:set_cas, 1, 5], [:append, "x"], [:delete], [:delete_cas, 5], [:incr], [:touch], [:gat], [:get_cas]].each do |verb, *arguments|
            expected, actual = [theirs, ours].map { |cache| [cache.public_send(verb, "none", *arguments)] }
            assert_equal expected, actual, verb
          end
        end
      end

      def test_options_of_a_call_must_be_a_hash
        with_cache do |cache|
          [[:get], [:gat, 1], [:get_cas], [:get_with_metadata], [:fetch, 1], [:set, 1, 1], [:add, 1, 1], [:cas, 1], [:set_cas, 1, 1, 1]].each do |verb, *arguments|
            [5, [:raw], true, "raw"].each do |options|
              error = assert_raises(ArgumentError) { cache.public_send(verb, "none", *arguments, options) { flunk } }
              assert_match(/options must be a Hash, not /, error.message)
            end
          end
          assert_raises(ArgumentError) { cache.set_multi({}, nil, 5) }
          assert_raises(ArgumentError) { cache.fetch("none", 1, { nonsense: 1 }) { flunk } }
          assert_raises(ArgumentError) { cache.fetch_with_lock("none") }
          assert_raises(ArgumentError) { cache.fetch_with_lock("none", req_options: 5) { flunk } }
        end
      end

      def test_quiet_changes_are_those_of_dalli
        beside_dalli do |ours, theirs|
          found = { "ours" => ours, "theirs" => theirs }.map do |name, cache|
            keys = %w[set added replaced number text gone].to_h { |key| [key, "#{name} #{key}"] }
            returned = cache.multi { changes(cache, keys) }
            [returned, cache.get_multi(*keys.values).values]
          end
          assert_equal found.last, found.first
        end
      end

      def test_quiet_changes_of_one_fiber_leave_others_as_they_are
        with_cache do |cache|
          Sync do |task|
            cache.quiet do
              assert_nil cache.set("key", 1)
              assert_kind_of Integer, task.async { cache.set("another", 1) }.wait
              assert_equal [1, true], [cache.get("key"), cache.set_multi("many" => 1)]
              cache.quiet { assert_nil cache.set("inner", 1) }
            end
          end
          assert_equal 3, cache.get_multi("key", "another", "inner").size
          assert_kind_of Integer, cache.set("key", 2)
        end
      end

      def test_what_a_quiet_change_is_refused_is_told
        told = []
        with_cache(on_error: ->(error) { told << error.class }) do |cache|
          cache.set("text", "text")
          cache.quiet { 3.times { cache.incr("text") } }
          assert_equal [NotANumber] * 3, told
          assert_raises(RuntimeError) { cache.quiet { cache.set("key", 1) && flunk || raise("elsewhere") } }
          assert_equal 1, cache.get("key")
          assert_raises(ArgumentError) { cache.quiet }
        end
        with_cache(raise_errors: true) do |cache|
          cache.set("text", "text")
          assert_raises(NotANumber) { cache.quiet { cache.incr("text") } }
        end
        Trunkline.memcached("127.0.0.1:1", timeout: 30, on_error: ->(error) { told << error.class }) do |gone|
          assert_equal :done, gone.quiet { gone.set("key", 1) || :done }
        end
        assert_equal ConnectionError, told.last
      end

      # More than are in flight at a time.
      def test_many_quiet_changes
        with_cache do |cache|
          cache.quiet { 2500.times { |number| cache.set("key#{number}", number) } }
          assert_equal 2500, cache.get_multi((0...2500).map { |number| "key#{number}" }).size
        end
      end

      def test_a_client_that_is_reset_connects_again
        with_cache do |cache|
          cache.set("key", 1)
          connections = -> { cache.client_stats.fetch(memcached.address)[:trunks].size }
          assert_equal [1, nil, 0, 1, 1], [connections.call, cache.reset, connections.call, cache.get("key"), connections.call]
        end
      end

      def test_alive
        with_cache { |cache| assert_equal true, cache.alive! }
        Trunkline.memcached("127.0.0.1:1", memcached.address, timeout: 30) { |cache| assert_equal true, cache.alive! }
        Trunkline.memcached("127.0.0.1:1", "127.0.0.1:2", timeout: 30) { |cache| assert_raises(ConnectionError) { cache.alive! } }
      end

      # As Rack::Attack asks it.
      def test_a_client_in_the_place_of_a_store
        with_cache do |cache|
          assert_equal [1, 2, 7], [cache.increment("count", 1, expires_in: 60), cache.increment("count", 1, expires_in: 60), cache.increment("count", 5)]
          assert_equal [true, 2], [cache.write("one", 1, expires_in: 60), cache.increment("one", 1, expires_in: 60)]
          assert_equal [true, :on, nil], [cache.write("ban", :on), cache.read("ban"), cache.read("none")]
        end
        Trunkline.memcached("127.0.0.1:1", timeout: 30) do |gone|
          assert_equal [nil, nil, false], [gone.read("key"), gone.increment("key", 1, expires_in: 60), gone.write("key", 1)]
        end
      end

      def test_a_server_that_speaks_the_binary_protocol_alone
        with_memcached(arguments: ["-B", "binary"]) do |server|
          assert_refused(/it does not speak memcached's text protocol \(memcached -B binary, or -S, which is SASL\)/, server.address)
        end
      end

      def test_a_server_without_tls
        assert_refused(/TLS failed: the server answered in plain text: .*leave out ssl_context:/, memcached.address, ssl_context: OpenSSL::SSL::SSLContext.new)
      end

      def test_a_program_that_is_no_memcached
        ScriptedMemcached.open(->(*) {}, version: "HTTP/1.1 400 Bad Request\r\n") { |server| assert_refused(/this is no memcached server: "HTTP\/1.1 400 Bad Request"/, server.address) }
      end

      def test_names_of_services
        ["_memcached._tcp.example.com", "_memcached._tcp.example.com:11211", "srv+memcached://example.com", "memcached+srv://example.com"].each do |name|
          error = assert_raises(ConfigError) { Trunkline.memcached(name) }
          assert_match(/#{Regexp.escape(name.inspect)} names an SRV record, which is not looked up here: give each server as "host:port"/, error.message)
        end
      end

      private

      # @yieldparam ours [Client]
      # @yieldparam theirs [Dalli::Client] of the same keys
      def beside_dalli
        namespace = MemcachedServers.namespace
        theirs = dalli(memcached.address, namespace: namespace, silence_marshal_warning: true)
        Trunkline.memcached(memcached.address, namespace: namespace, timeout: 30) { |ours| yield ours, theirs }
      ensure
        theirs&.close
      end

      def changes(cache, keys)
        [cache.set(keys["set"], 1), cache.add(keys["added"], 1), cache.add(keys["set"], 2), cache.set(keys["replaced"], 1), cache.replace(keys["replaced"], 2),
         cache.replace(keys["gone"], 1), cache.set(keys["number"], "5", nil, raw: true), cache.incr(keys["number"], 3), cache.decr(keys["number"]),
         cache.set(keys["text"], "b", nil, raw: true), cache.append(keys["text"], "c"), cache.prepend(keys["text"], "a"), cache.incr(keys["text"]),
         cache.set(keys["gone"], 1), cache.delete(keys["gone"])]
      end

      def assert_refused(message, server, **options)
        Trunkline.memcached(server, timeout: 30, **options) { |cache| assert_match message, assert_raises(ConnectionError) { cache.get("key") }.message }
      end
    end
  end
end
