# frozen_string_literal: true

require "test_helper"
require "support/server_pair"
require "trunkline/cli/top"
require "trunkline/instrumentation/snapshot"

module Trunkline
  # What a client tells of its hosts.
  class HostsToldTest < TestCase
    include ServerPair

    HEARD = Thread::Queue.new
    # It hears of switches.
    Hearing = Module.new do
      def switch(from, to, server)
        HEARD << [from, to, server, Fiber.current]
        super
      end
    end
    # It refuses them.
    Refusing = Module.new { def switch(from, to, _server) = raise("no switch from #{from} to #{to}") }
    private_constant :HEARD, :Hearing, :Refusing

    def test_before_and_after_a_switch
      with_pair do |primary, standby|
        Trunkline.postgres(uri_of(primary, standby), middlewares: [Hearing], connections: 1) do |db|
          assert_equal [[nil, nil, false, nil]] * 3, told(db, :role, :timeline, :last, :ago)
          assert_equal primary.port, unhurried { port_of(db) }
          assert_equal [[0, nil, nil, false], [1, "primary", 1, true], [0, nil, nil, false]], told(db, :open, :role, :timeline, :last)
          assert_match(/cannot connect/, db.stats[:hosts][0][:error])
          assert_equal [[label(primary)], 0, 0], [db.stats[:trunks].map { |trunk| trunk[:server] }, db.stats[:switches], HEARD.size]
          promote(standby, primary)
          primary.stop
          assert_equal standby.port, db.value("SELECT current_setting('port')::int", idempotent: true)
          assert_equal [[0, nil], [0, "primary"], [1, "primary"]], told(db, :open, :role)
          assert_equal [2, nil, true, 1], [*told(db, :timeline, :error, :last).last, db.stats[:switches]]
          assert_equal [[label(primary), label(standby), db.stats[:server], Fiber.current]], Array.new(HEARD.size) { HEARD.pop }
          shown_by_top(db, standby)
        end
      end
    end

    # As with every middleware, what it raises is the caller's, and the connection is closed.
    def test_a_middleware_that_raises
      with_server do |one|
        with_server do |other|
          Trunkline.postgres(hosts_uri(one, other), middlewares: [Refusing], connections: 1) do |db|
            unhurried { port_of(db) }
            one.stop
            error = assert_raises(RuntimeError) { db.transaction { |tx| port_of(tx) } }
            assert_equal "no switch from #{label(one)} to #{label(other)}", error.message
            assert eventually { other.psql("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") == "1\n" }
          end
        end
      end
    end

    # Where each connection may go to any of them, there is no host that it switches from.
    def test_a_random_order_has_no_switches
      with_pair do |primary, standby|
        Trunkline.postgres(hosts_uri(primary, standby, load_balance_hosts: "random"), connections: 1) do |db|
          ports = unhurried { Array.new(20) { port_of(db).tap { db.disconnect } } }
          assert_equal [2, 0, %w[primary standby]], [ports.uniq.size, db.stats[:switches], db.stats[:hosts].map { |host| host[:role] }]
        end
      end
    end

    private

    def label(server) = "#{server.socket_directory}:#{server.port}/postgres"
    def told(db, *names) = db.stats[:hosts].map { |host| host.values_at(*names) }

    def uri_of(*servers) = hosts_uri(Struct.new(:socket_directory, :port).new("/nowhere", 1), *servers)

    def shown_by_top(db, standby)
      look = Snapshot.take([db])
      lines = CLI::Top::Screen.new(300, 50).lines(look, { **look, at: look[:at] + 1 })
      assert(lines.any? { |line| line.match?(%r{\A  /nowhere:1/postgres   connections 0   cannot connect.*, .* ago\z}) }, lines.join("\n"))
      assert_includes lines, "  #{label(standby)}   connections 1   primary, timeline 2"
      assert(lines.any? { |line| line.include?("switches 1") })
    end
  end
end
