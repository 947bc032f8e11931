# frozen_string_literal: true

require "test_helper"
require "support/gate_proxy"
require "support/server_pair"

module Trunkline
  # Servers whose roles change under a client.
  class RoleChangesTest < TestCase
    include ServerPair

    # A server that takes an address as a host.
    Address = Struct.new(:socket_directory, :port)
    private_constant :Address

    # The server tells it with the next answer, after which a connection to it is replaced.
    def test_a_promoted_standby_is_connected_to_anew
      with_pair do |primary, standby|
        Trunkline.postgres(hosts_uri(standby, primary), connections: 1) do |db|
          Trunkline.postgres(hosts_uri(standby, primary, target_session_attrs: "standby"), connections: 1) do |reader|
            before = unhurried { [backend(db), db.transaction { |tx| backend(tx) }, backend(reader)] }
            with_stopped_clock do # idle connections are polled every five seconds
              promote(standby, primary)
              now_a_primary(standby)
              assert_equal before, [backend(db), db.transaction { |tx| backend(tx) }, backend(reader)], "an answer tells it"
            end
            next if primary.version < 14 # which does not tell

            replaced = unhurried { [backend(db), db.transaction { |tx| backend(tx) }] }
            assert_empty before & replaced
            assert_equal replaced, [backend(db), db.transaction { |tx| backend(tx) }], "once"
            assert_raises(ConnectionError) { backend(reader) }
            assert_equal 0, db.stats[:lost]
          end
        end
      end
    end

    # Callers of one connection hear of a promotion on the others: these are asked every five seconds.
    def test_idle_connections_are_polled
      with_pair do |primary, standby|
        next if primary.version < 14 # which does not tell

        with_stopped_clock do
          Trunkline.postgres(hosts_uri(standby, primary), connections: 1, max_connections: 3) do |db|
            idle, used = own_and_shared(db)
            promote(standby, primary)
            now_a_primary(standby)
            Clock.pass(5)
            assert_equal used, backend(db)
            assert eventually { processes(standby).fetch(idle) == "" }, "it was asked, by an empty statement"
            replaced = unhurried { [db.transaction { |tx| backend(tx) }, backend(db)] }
            assert_empty [idle, used] & replaced
            assert_equal 0, db.stats[:lost]
          end
        end
      end
    end

    # One that the server has ended after a question costs no caller an error, and is replaced unnoticed.
    def test_a_polled_connection_that_ends
      with_pair do |primary, standby|
        with_stopped_clock do
          Trunkline.postgres(hosts_uri(primary, standby), connections: 1, max_connections: 3) do |db|
            asked, used = own_and_shared(db).reverse
            Clock.pass(5)
            assert_equal used, db.transaction { |tx| backend(tx) }
            assert eventually { processes(primary).fetch(asked) == "" }
            primary.terminate(asked)
            assert eventually { processes(primary).keys == [used] }
            refute_equal asked, backend(db)
          end
        end
      end
    end

    # Where there was no standby, the connections to the primary are replaced within ten seconds.
    def test_readers_go_back_to_a_standby_that_has_returned
      with_pair do |primary, standby|
        GateProxy.open(standby) do |proxy|
          proxy.refuse
          uri = hosts_uri(Address.new(proxy.host, proxy.port), primary, target_session_attrs: "prefer-standby")
          Trunkline.postgres(uri, connections: 1, max_connections: 1) do |db|
            with_stopped_clock do
              assert_equal [primary.port, primary.port, 1], [port_of(db), port_of(db), db.stats[:opened]]
              Clock.pass(10)
              assert_equal [primary.port, 2], [port_of(db), db.stats[:opened]]
              proxy.refuse(false)
              Clock.pass(10)
              assert_equal [standby.port, 3], unhurried { [port_of(db), db.stats[:opened]] }
              Clock.pass(100)
              assert_equal [standby.port, 3], [port_of(db), db.stats[:opened]]
            end
          end
        end
      end
    end

    private

    def backend(db) = db.value("SELECT pg_backend_pid()")

    # @return [Array(Integer, Integer)] the server's processes for a connection of a caller's own, which is spare by now, and for a shared one
    def own_and_shared(db)
      own, shared = unhurried { db.transaction { |tx| [backend(tx), Thread.new { backend(db) }.value] } }
      assert_equal({ shared: 1, spare: 1 }, db.stats.slice(:shared, :spare))
      [own, shared]
    end

    # @return [Hash{Integer => String}] the last statement of each session of the client
    def processes(server)
      sql = "SELECT pid, query FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
      server.psql(sql).lines(chomp: true).to_h { |row| row.split("|", 2).then { |pid, query| [pid.to_i, query] } }
    end

    def now_a_primary(standby) = assert(eventually { standby.psql("SELECT pg_is_in_recovery()") == "f\n" })
  end
end
