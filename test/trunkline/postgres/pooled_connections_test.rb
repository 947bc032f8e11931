# frozen_string_literal: true

require "test_helper"
require "support/backend_messages"
require "support/query_messages"
require "support/scripted_server"

# Connections that a pooler gives betray it by the number of their server process.
class PooledConnectionsTest < Trunkline::TestCase
  include Trunkline::QueryMessages

  # PID_MAX_LIMIT of Linux.
  LARGEST = 1 << 22
  private_constant :LARGEST

  def test_a_server_describes_a_statement_once
    [1, 4711, LARGEST].each { |process| assert_equal %w[PDBES BES], messages(key(process)), process }
  end

  def test_a_pooler_is_given_the_text_at_each_execution
    [LARGEST + 1, (1 << 32) - 1, 0].each { |process| assert_equal %w[PDBES BDES], messages(key(process)), process }
    assert_equal %w[PDBES BDES], messages("")
  end

  private

  def key(process) = Trunkline::BackendMessages.key(process)

  # @return [Array<String>] types of the messages of two executions
  def messages(key)
    seen = []
    Trunkline::ScriptedServer.open(->(peer) { serve(peer, key, seen) }) do |server|
      Trunkline.postgres(server.conninfo, user: "u", dbname: "d", pooler: :session, connections: 1) { |db| 2.times { assert_equal 1, db.value("SELECT 1") } }
    end
    seen
  end

  def serve(peer, key, seen)
    peer.startup
    peer << Trunkline::BackendMessages.authentication(0) << Trunkline::BackendMessages.parameter("server_version", "15.4") << key << ready
    2.times do
      types = +""
      types << peer.message.first until types.end_with?("S")
      seen << types.delete("H") # Flush, where the machine is slow
      peer << answer_to(types)
    end
    peer.drain
  end

  def answer_to(types)
    return first_answer({ "n" => INT4 }, ["1"]) if types.start_with?("P")
    return later_answer(["\0\0\0\1"]) unless types.include?("D")

    bind_complete + row_description({ "n" => INT4 }) + data_row("1") + complete + ready
  end
end
