# frozen_string_literal: true

require "test_helper"
require "support/history/run"

# As SoakTest, where neither side can send for as long as the other one does not read: the sockets of the client and of the proxy before the server
# hold 4 KiB, and callers begin many futures at once. A caller that waited to write, while no caller reads, would wait for ever.
class NarrowSocketsTest < Trunkline::TestCase
  %i[threads mixed loops async reference].product([false, true]) do |environment, tcp|
    define_method(:"test_#{environment}_over_#{tcp ? "tcp" : "a_unix_socket"}") do
      options = { answers: 300, interruptions: 40, troubles: {}, faults: {}, kinds: History::Operations::WITH_BURSTS }
      run = History::Run.new(postgres_server, environment: environment, seed: Minitest.seed, tcp: tcp, narrow: true, **options).call
      assert_empty run.report
      assert_operator run.counts[:interruptions], :>=, 40
    end
  end
end
