# frozen_string_literal: true

module Shared
  # What each verb does. The test includes a host and MemcachedServers.
  module Caching
    def test_set_and_get
      in_host_with_cache do |cache|
        assert_kind_of Integer, cache.set("key", "value")
        assert_equal "value", cache.get("key")
        assert_equal "value", cache.get(:key)
        assert_nil cache.get("another")
        assert_nil cache.set("key", nil) && cache.get("key")
        assert_equal({ "a" => [1, nil] }, cache.set("key", { "a" => [1, nil] }) && cache.get("key"))
        ["", "tëxt", "\xFF\r\n\0".b, "END\r\n", "x" * 100_000, Random.new(1).bytes(100_000)].each do |value|
          cache.set("schlüssel mit leer", value)
          assert_equal value, cache.get("schlüssel mit leer")
        end
      end
    end

    def test_strings_keep_their_encoding
      in_host_with_cache do |cache|
        texts = ["text", "text".b, "text".encode("US-ASCII"), "tëxt", "tëxt".encode("ISO-8859-1"), "\xFF".b, "", ("x" * 5000).b].to_h { |text| ["#{text[0, 5].b}#{text.encoding}", text] }
        cache.set_multi(texts)
        assert_equal texts.values.map { |text| [text, text.encoding] }, cache.get_multi(texts.keys).values_at(*texts.keys).map { |text| [text, text.encoding] }
        texts.each { |key, text| assert_equal text.encoding, cache.get(key).encoding }
        cache.set("raw", "text", nil, raw: true)
        assert_equal [Encoding::BINARY, Encoding::BINARY], [cache.get("raw").encoding, cache.get("raw", raw: true).encoding]
      end
    end

    def test_add_and_replace
      in_host_with_cache do |cache|
        assert_equal false, cache.replace("key", 1)
        assert cache.add("key", 1)
        assert_equal false, cache.add("key", 2)
        assert cache.replace("key", 3)
        assert_equal 3, cache.get("key")
      end
    end

    def test_append_and_prepend
      in_host_with_cache do |cache|
        assert_equal false, cache.append("key", "x")
        cache.set("key", "b", nil, raw: true)
        assert cache.append("key", "c") && cache.prepend("key", "a")
        assert_equal "abc", cache.get("key")
      end
    end

    def test_counting
      in_host_with_cache do |cache|
        assert_nil cache.incr("key")
        assert_equal 5, cache.incr("key", 1, nil, 5)
        assert_equal [6, 16, 15, 0], [cache.incr("key"), cache.incr("key", 10), cache.decr("key"), cache.decr("key", 100)]
        assert_equal 0, cache.get("key").to_i
        cache.set("key", 7, nil, raw: true)
        assert_equal 8, cache.incr("key")
        assert_equal (2**64) - 1, cache.incr("most", 1, nil, (2**64) - 1)
        assert_equal 3, cache.incr("a b", 1, 60, 3)
        [-1, 2**64, nil, "x", 1.0 / 0].each { |amount| assert_raises(ArgumentError) { cache.incr("key", amount) } }
      end
    end

    def test_what_is_no_number_cannot_be_counted
      in_host_with_cache do |cache|
        cache.set("key", "text")
        error = assert_raises(Trunkline::Memcached::NotANumber) { cache.incr("key") }
        assert_equal [true, false, memcached.address], [error.sent?, error.retriable?, error.server]
        assert_equal "text", cache.get("key")
      end
    end

    def test_delete
      in_host_with_cache do |cache|
        cache.set("key", 1)
        assert_equal [true, false], [cache.delete("key"), cache.delete("key")]
        assert_nil cache.get("key")
      end
    end

    def test_versions
      in_host_with_cache do |cache|
        assert_equal [nil, 0], cache.get_cas("key")
        first = cache.set("key", 1)
        assert_equal [1, first], cache.gets("key")
        assert_equal [1, first], cache.get_cas("key") { |value, version| [value, version] }
        assert second = cache.set_cas("key", 2, first)
        assert_equal false, cache.set_cas("key", 3, first)
        assert_equal false, cache.replace_cas("key", 3, first)
        assert_equal false, cache.delete_cas("key", first)
        assert_equal 2, cache.get("key")
        assert cache.delete_cas("key", second)
        assert_equal false, cache.set_cas("key", 3, second)
      end
    end

    def test_cas
      in_host_with_cache do |cache|
        assert_nil cache.cas("key") { flunk }
        assert(cache.cas!("key") { |value| [value] })
        assert(cache.cas("key") { |value| value + [1] })
        assert_equal [nil, 1], cache.get("key")
        changed = cache.cas("key") do |value|
          cache.set("key", :another)
          value
        end
        assert_equal [false, :another], [changed, cache.get("key")]
      end
    end

    def test_times_to_live
      in_host_with_cache do |cache|
        cache.set("gone", 1, -1)
        cache.set("later", 1, 40 * 24 * 60 * 60)
        cache.set("soon", 1, 5000)
        assert_equal [nil, 1, 1], [cache.get("gone"), cache.get("later"), cache.get("soon")]
        assert_equal [true, nil], [cache.touch("soon", 6000), cache.touch("nothing", 1)]
        assert_equal [1, nil], [cache.gat("soon", 7000), cache.gat("nothing", 1)]
        cache.touch("soon", -1)
        assert_nil cache.get("soon")
        assert_raises(ArgumentError) { cache.set("key", 1, Object.new) }
      end
    end

    def test_many
      in_host_with_cache do |cache|
        pairs = (1..500).to_h { |number| ["key #{number}", number.odd? ? number : "v" * number] }
        assert_equal true, cache.set_multi(pairs, 60)
        assert_equal pairs, cache.get_multi(pairs.keys + ["another"])
        assert_equal pairs.to_a, [].tap { |found| cache.get_multi(*pairs.keys) { |key, value| found << [key, value] } }
        assert_equal({ "key 2" => "vv" }, cache.get_multi(:"key 2", "key 2000"))
        assert_equal({ "key 1" => 1 }, cache.get_multi("key 1", ["key 1"]))
        versions = cache.get_multi_cas("key 1", "key 2")
        assert_equal({ "key 1" => cache.get_cas("key 1"), "key 2" => cache.get_cas("key 2") }, versions)
        assert_equal 500, cache.delete_multi(pairs.keys + ["another"])
        assert_equal [{}, {}, 0, true], [cache.get_multi(pairs.keys), cache.get_multi, cache.delete_multi, cache.set_multi({})]
      end
    end

    def test_many_with_one_too_large
      in_host_with_cache(compress: false) do |cache|
        pairs = { "a" => "1", "b" => "x" * 3_000_000, "c" => "3" }
        assert_raises(Trunkline::Memcached::ValueTooLarge) { cache.set_multi(pairs) }
        assert_equal({ "a" => "1", "c" => "3" }, cache.get_multi(pairs.keys))
      end
    end

    def test_a_value_too_large
      in_host_with_cache(compress: false) do |cache|
        cache.set("key", "old")
        error = assert_raises(Trunkline::Memcached::ValueTooLarge) { cache.set("key", "x" * 3_000_000) }
        assert_match(/larger than the server takes \(its option -I\)/, error.message)
        assert_nil cache.get("key")
      end
    end

    def test_fetch
      in_host_with_cache do |cache|
        assert_nil cache.fetch("key")
        assert_equal [1, 1, 1], [cache.fetch("key") { 1 }, cache.fetch("key") { flunk }, cache.get("key")]
        assert_equal [nil, 2], [cache.fetch("nil") { nil }, cache.fetch("nil") { 2 }]
        cache.set("nil", nil)
        assert_nil cache.fetch("nil", nil, cache_nils: true) { flunk }
        assert_raises(RuntimeError) { cache.fetch("error") { raise "not to be had" } }
        assert_nil cache.get("error")
      end
    end

    def test_only_one_computes
      in_host_with_cache do |cache|
        computed = 0
        values = side_by_side(1..20) do
          cache.fetch("key", 60, lock_ttl: 60) do
            computed += 1
            sleep(0.05) # for the others to ask meanwhile; later callers find the value
            "computed"
          end
        end
        assert_equal [["computed"], 1], [values.uniq, computed]
      end
    end

    def test_the_old_value_serves_while_one_computes_anew
      in_host_with_cache do |cache|
        cache.set("key", "old", 30)
        new = cache.fetch("key", 300, lock_ttl: 60, recache: 60) do
          assert_equal "old", cache.fetch("key", 300, lock_ttl: 60, recache: 60) { flunk }
          "new"
        end
        assert_equal %w[new new], [new, cache.fetch("key", 300, lock_ttl: 60, recache: 60) { flunk }]
      end
    end

    def test_a_caller_that_fails_to_compute_leaves_it_to_the_next
      in_host_with_cache do |cache|
        assert_raises(RuntimeError) { cache.fetch("key", 60, lock_ttl: 60) { raise "not to be had" } }
        assert_equal "computed", cache.fetch("key", 60, lock_ttl: 60) { "computed" }
      end
    end

    def test_what_was_stored_meanwhile_stays
      in_host_with_cache do |cache|
        mine = cache.fetch("key", 60, lock_ttl: 60) do
          cache.set("key", "theirs")
          "mine"
        end
        assert_equal %w[mine theirs], [mine, cache.get("key")]
      end
    end

    def test_bad_keys
      in_host_with_cache do |cache|
        ["", nil].each do |key|
          assert_raises(ArgumentError) { cache.get(key) }
          assert_raises(ArgumentError) { cache.set(key, 1) }
          assert_raises(ArgumentError) { cache.set_multi({ key => 1 }) }
        end
        long = "x" * 10_000
        cache.set(long, 1)
        assert_equal [1, { long => 1 }], [cache.get(long), cache.get_multi(long)]
      end
    end

    def test_a_closed_client
      in_host do
        cache = with_cache { |open| open.tap { open.set("key", 1) } }
        assert_raises(Trunkline::Closed) { cache.get("key") }
        assert_raises(Trunkline::Closed) { cache.get_multi("key") }
      end
    end
  end
end
