# frozen_string_literal: true

require "test_helper"
require "support/byte_proxy"
require "support/interruptions"
require "support/memcached_servers"
require "support/scripted_memcached"
require "support/each_host"

module Trunkline
  module Memcached
    # No caller ever gets another key's value, whatever happens to the connection, and what was acknowledged is there. Each caller
    # writes values that name their key and are numbered.
    module Faults
      extend EachHost

      CALLERS = 12
      ROUNDS = 15
      CUTS = 8

      # What holds in every host.
      module Shared
        include Interruptions

        # A cut may come at any time, and a cancel too: the pauses only spread them.
        def test_cut_connections
          in_host do
            amid_faults do |cache, proxy, random|
              callers = Array.new(CALLERS) { |number| later { go_through(cache, number, Random.new(Minitest.seed + number)) } }
              CUTS.times do
                sleep(random.rand * 0.02)
                proxy.cut
              end
              assert_equal [[]], callers.map(&:value).uniq
              assert_reaches(cache)
            end
          end
        end

        def test_cut_connections_and_cancelled_callers
          in_host do
            amid_faults do |cache, proxy, random|
              callers = Array.new(CALLERS) { |number| later { go_through(cache, number, Random.new(Minitest.seed + number)) } }
              fickle = Array.new(CALLERS) { |number| later { wait_after_cancel(:queue) { loop { go_through(cache, -1 - number, Random.new(number)) } } } }
              fickle.each do |caller|
                sleep(random.rand * 0.005)
                proxy.cut if random.rand < 0.3
                caller.cancel(Interruptions::Cancelled.new)
              end
              assert_equal [[]], callers.map(&:value).uniq
              assert_empty fickle.map(&:error).compact.grep_v(Interruptions::Cancelled)
              assert_reaches(cache)
            end
          end
        end

        # The script answers each get by its key. One answer is left out, or comes twice.
        { doubled: ->(answer) { answer * 2 }, lost: ->(_answer) { "" } }.each do |name, change|
          define_method("test_an_answer_that_is_#{name}") do
            in_host do
              commands = 0
              script = lambda do |socket, line|
                key = line.split[1]
                answer = "VA #{key.size} f0#{ScriptedMemcached.number(line)}\r\n#{key}\r\n"
                socket << ((commands += 1) == 20 ? change.call(answer) : answer)
              end
              ScriptedMemcached.open(script) do |server|
                Trunkline.memcached(server.address, timeout: 20) do |cache|
                  callers = Array.new(CALLERS) do |caller|
                    later { Array.new(ROUNDS) { |round| (key = "key#{caller}-#{round}") == cache.get(key) } }
                  end
                  assert_equal [true], callers.flat_map(&:value).uniq
                end
                assert_equal 2, server.connections
              end
            end
          end
        end

        private

        def amid_faults
          random = Random.new(Minitest.seed)
          ByteProxy.open(memcached.port, random) do |proxy|
            Trunkline.memcached(proxy.address, namespace: MemcachedServers.namespace, timeout: 10, down_retry_delay: 0.001) do |cache|
              cache.get("connected")
              yield cache, proxy, random
            end
          end
        end

        # @return [Array<String>] what was wrong
        def go_through(cache, caller, random)
          wrong = []
          known = { stored: 0, perhaps: [] }
          ROUNDS.times do |round|
            key = "c#{caller}"
            random.rand < 0.5 ? write(cache, key, round + 1, known) : read(cache, key, known, wrong)
            read_many(cache, caller, wrong) if random.rand < 0.3
          end
          wrong
        end

        # Whether it was stored is not known after an error, nor when: it may be on its way to the server for a while.
        def write(cache, key, number, known)
          cache.set(key, "#{key} #{number}")
          known[:stored] = number
        rescue Error
          known[:perhaps] << number
        end

        def read(cache, key, known, wrong)
          value = cache.get(key) || "#{key} 0"
          number = value[/\A#{key} (\d+)\z/, 1]&.to_i
          wrong << "#{key}: #{value}" unless number == known[:stored] || known[:perhaps].include?(number)
        rescue Error
          nil
        end

        def read_many(cache, caller, wrong)
          keys = Array.new(CALLERS) { |number| "c#{(caller + number) % CALLERS}" }
          cache.get_multi(keys).each { |key, value| wrong << "#{key}: #{value}" unless value.match?(/\A#{key} \d+\z/) }
        rescue Error
          nil
        end

        def assert_reaches(cache)
          value = begin
            cache.set("after", "all") && cache.get("after")
          rescue Error
            retry
          end
          assert_equal "all", value
        end
      end

      in_hosts MemcachedServers, Shared
      in_hostile_hosts MemcachedServers, Shared
    end
  end
end
