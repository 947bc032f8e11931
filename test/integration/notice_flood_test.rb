# frozen_string_literal: true

require "suites"
require "support/query_messages"
require "support/scripted_server"

module Trunkline
  # A thread that reads many notices of one statement waits between its reads.
  class NoticeFloodTest < TestCase
    include DatabaseHelpers
    include QueryMessages

    FLOOD = 64 # notices from which on it waits
    PERIOD = 0.0001 # seconds from one read to the next
    private_constant :FLOOD, :PERIOD

    # What comes after these is sent when the pause has begun.
    def test_a_pause_after_many_notices
      pauses = Queue.new
      more = ->(peer) { eventually { !pauses.empty? } && peer << notice("one more") }
      with_stopped_clock { Kernel.stub(:sleep, ->(seconds) { pauses << seconds }) { assert_equal FLOOD + 1, told(FLOOD, more) } }
      assert_in_delta PERIOD, pauses.pop, 1e-6
    end

    # What was read took longer to be told than the time to the next read.
    def test_no_pause_after_a_long_turn
      seen = Queue.new
      more = ->(peer) { eventually { !seen.empty? } && peer << notice("one more") }
      with_stopped_clock do
        Kernel.stub(:sleep, ->(_) { flunk "it is time to read on" }) { assert_equal FLOOD + 1, told(FLOOD, more) { seen << Clock.pass(PERIOD) } }
      end
    end

    def test_no_pause_after_a_few
      Kernel.stub(:sleep, ->(_) { flunk "a few notices are no flood" }) { assert_equal FLOOD - 1, told(FLOOD - 1, ->(_) {}) }
    end

    # As a timeout does that is due then.
    def test_a_caller_that_is_interrupted_in_a_pause
      interrupted = Class.new(StandardError)
      with_noticing_function do |function|
        flood = "SELECT count(#{function}(n, 5)) FROM generate_series(1, $1) n"
        Trunkline.postgres(postgres_server.uri) do |db|
          with_stopped_clock { Kernel.stub(:sleep, ->(_) { raise interrupted }) { assert_raises(interrupted) { db.query(flood, 100_000) } } }
          assert_equal [1, 500], [db.value("SELECT 1"), db.query(flood, 500).notices.size]
        end
      end
    end

    private

    # @param first [Integer] notices that are sent at once
    # @param more [#call] gets the server's side when they are sent
    # @yield as each is told
    # @return [Integer] notices of the result
    def told(first, more, &told)
      ScriptedServer.open(->(peer) { answer(peer, first, more) }) do |server|
        Trunkline.postgres(server.conninfo, user: "u", pooler: :session, dbname: "d") do |db|
          db.on_notice(&told) if told
          db.query("SELECT 1 AS n").notices.size
        end
      end
    end

    def answer(peer, first, more)
      peer.startup
      peer << BackendMessages.authentication(0) << BackendMessages.session
      nil until peer.message.first == "S"
      peer << (notice("x") * first)
      more.call(peer)
      peer << first_answer({ "n" => INT4 }, ["1"])
      peer.message
    end
  end
end
