# frozen_string_literal: true

require "test_helper"
require "support/memcached_servers"
require "support/scripted_memcached"
require "support/each_host"

module Trunkline
  module Memcached
    # Servers that do not answer, or not in time.
    module Timeouts
      extend EachHost

      SOON = 0.2    # seconds; time that is to be over
      LATER = 20    # seconds; time that is not
      LONG = "x" * 100_000

      # Never answers; a byte at a time, which would take half an hour; stops within a value or a line.
      SILENCES = {
        never: ->(_socket, _number) {},
        bytewise: ->(socket, number) { "VA 100000 f0#{number}\r\n#{LONG}\r\n".each_char { |byte| socket.write(byte) && sleep(0.02) } },
        within_a_value: ->(socket, number) { socket << "VA 100000 f0#{number}\r\n#{LONG[0, 10_000]}" },
        within_a_line: ->(socket, _number) { socket << "VA 10" }
      }.freeze

      # Answers requests for the key "warm", and is silent to all others.
      def self.warm(silence)
        lambda do |socket, line|
          number = ScriptedMemcached.number(line)
          if line.start_with?("mg warm") then socket << "EN#{number}\r\n"
          elsif line.start_with?("mg") then silence.call(socket, number)
          end
        end
      end

      # What holds in every host.
      module Shared
        SILENCES.each do |name, silence|
          define_method("test_#{name}") do
            in_host do
              ScriptedMemcached.open(Timeouts.warm(silence)) do |server|
                failures = []
                Trunkline.memcached(server.address, timeout: LATER, on_error: ->(failure) { failures << failure.class }) do |cache|
                  assert_nil cache.get("warm")
                  error = assert_raises(Deadline) { Trunkline.deadline(SOON) { cache.get("key") } } until error&.sent? # a busy machine is late
                  assert_equal [false, server.address], [error.retriable?, error.server]
                  assert_raises(Deadline) { Trunkline.deadline(SOON) { cache.set("key", "value") } }
                  assert_equal [{}, [Deadline]], [Trunkline.deadline(SOON) { cache.get_multi("a", "b") }, failures]
                  assert_nil cache.get("warm")
                end
                assert_operator server.connections, :>=, 2 # no caller waits on a connection that has fallen silent
              end
            end
          end
        end

        def test_the_client_s_own_timeout
          in_host do
            ScriptedMemcached.open(->(*) {}) do |server|
              Trunkline.memcached(server.address, timeout: SOON) { |cache| assert_raises(Deadline) { cache.get("key") } }
            end
          end
        end

        def test_a_server_that_never_finishes_its_handshake
          in_host do
            ScriptedMemcached.open(->(*) {}, version: nil) do |server|
              Trunkline.memcached(server.address, timeout: SOON) do |cache|
                refute_predicate assert_raises(Deadline) { cache.get("key") }, :sent?
                assert_raises(Trunkline::ConnectionError, Deadline) { cache.get("key") }
              end
            end
          end
        end

        def test_a_caller_that_has_more_time_waits_for_longer
          in_host do
            ScriptedMemcached.open(->(socket, line) { socket << "EN#{ScriptedMemcached.number(line)}\r\n" if line.start_with?("mg quick") }) do |server|
              Trunkline.memcached(server.address, timeout: LATER) do |cache|
                assert_nil cache.get("quick")
                patient = later { Trunkline.deadline(SOON * 3) { cache.get("slow") } }
                assert_raises(Deadline) { Trunkline.deadline(SOON) { cache.get("slow") } }
                assert_kind_of Deadline, patient.error
              end
            end
          end
        end

        def test_an_answer_that_comes_too_late_goes_to_no_caller
          in_host do
            gate = Thread::Queue.new
            script = lambda do |socket, line|
              gate.pop if line.start_with?("mg slow")
              socket << "VA #{line.split[1].size} f0#{ScriptedMemcached.number(line)}\r\n#{line.split[1]}\r\n"
            end
            ScriptedMemcached.open(script) do |server|
              Trunkline.memcached(server.address, timeout: LATER) do |cache|
                quick = later { cache.get("quick") }
                quick.value
                late = later { Trunkline.deadline(SOON) { cache.get("slow") } }
                behind = later { cache.get("behind") }
                assert_kind_of Deadline, late.error
                gate << :go
                assert_equal "behind", behind.value
                assert_equal "another", cache.get("another")
              end
            end
          end
        end

        def test_a_block_s_deadline_holds_too
          in_host do
            ScriptedMemcached.open(->(*) {}) do |server|
              Trunkline.memcached(server.address, timeout: nil) do |cache|
                assert_raises(Deadline) { Trunkline.deadline(SOON) { cache.get("key") } }
              end
            end
          end
        end

        def test_a_value_that_the_server_does_not_take_in
          in_host do
            ScriptedMemcached.open(->(_socket, _line) { sleep }) do |server|
              Trunkline.memcached(server.address, timeout: SOON, compress: false) do |cache|
                assert_raises(Deadline) { cache.set("key", "x" * 30_000_000) }
              end
            end
          end
        end
      end

      in_hosts MemcachedServers, Shared
    end
  end
end
