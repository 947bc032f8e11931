# frozen_string_literal: true

require "support/interruptions"

module Shared
  # Many callers on one connection: each gets what it asked for, and nothing else. The test includes a host and
  # MemcachedServers.
  module CachingTogether
    include Interruptions

    CALLERS = 40
    ROUNDS = 25
    # Seconds: so many callers on a machine that is busy otherwise, too, may wait for longer than one second.
    PATIENCE = 30

    def test_every_caller_gets_its_own_answer
      in_host_with_cache(timeout: PATIENCE) do |cache|
        right = side_by_side(1..CALLERS) do |caller|
          random = Random.new(Minitest.seed + caller)
          Array.new(ROUNDS) { own_round?(cache, caller, random) }.all?
        end
        assert_equal [true], right.uniq
        assert_equal 1, connections_of(cache)
      end
    end

    # A cancel may come at any time: the pauses only spread them.
    def test_every_caller_gets_its_own_answer_while_others_are_cancelled
      in_host_with_cache(timeout: PATIENCE) do |cache|
        cache.get("connected")
        steady = Array.new(CALLERS) do |caller|
          later { Array.new(ROUNDS) { own_round?(cache, caller, Random.new(Minitest.seed + caller)) }.all? }
        end
        fickle = Array.new(CALLERS) { |caller| later { wait_after_cancel(:queue) { loop { own_round?(cache, -1 - caller, Random.new(caller)) } } } }
        random = Random.new(Minitest.seed)
        fickle.shuffle(random: random).each do |caller|
          sleep(random.rand * 0.002)
          caller.cancel(Cancelled.new)
        end
        assert_equal [true], steady.map(&:value).uniq
        assert_empty fickle.map(&:error).compact.grep_v(Cancelled)
        assert_equal 1, connections_of(cache)
      end
    end

    def test_counting_together
      in_host_with_cache(timeout: PATIENCE) do |cache|
        cache.set("count", 0, nil, raw: true)
        side_by_side(1..CALLERS) { ROUNDS.times { cache.incr("count") } }
        assert_equal CALLERS * ROUNDS, cache.get("count").to_i
      end
    end

    private

    # One of the things a caller does, and whether it was told the truth about its own keys.
    def own_round?(cache, caller, random)
      token = "#{caller} #{random.rand(1 << 40)}"
      case random.rand(5)
      when 0 then cache.set("k#{caller}", token) && cache.get("k#{caller}") == token
      when 1 then cache.get("never #{token}").nil?
      when 2 then large?(cache, caller, token * random.rand(1..3000))
      when 3 then many?(cache, caller, token)
      else cache.delete("d#{caller}") == false
      end
    end

    def large?(cache, caller, value)
      cache.set("l#{caller}", value, nil, compress: false) && cache.get("l#{caller}") == value
    end

    def many?(cache, caller, token)
      pairs = (1..10).to_h { |number| ["m#{caller} #{number}", "#{token} #{number}"] }
      cache.set_multi(pairs) && cache.get_multi(*pairs.keys, "never #{token}") == pairs
    end

    def connections_of(cache) = cache.instance_variable_get(:@cluster).servers.sum { |server| server.counts[:shared] }
  end
end
