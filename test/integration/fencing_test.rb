# frozen_string_literal: true

require "test_helper"
require "support/server_pair"

module Trunkline
  # Two primaries at once, as where a primary was cut off and another server was promoted: no write goes to the former one once the new one
  # was seen.
  class FencingTest < TestCase
    include ServerPair

    def setup
      @roles = "CREATE ROLE app LOGIN; CREATE TABLE tokens (token text); GRANT ALL ON tokens TO app"
    end

    def test_a_former_primary
      with_pair do |former, promoted|
        former.psql(@roles)
        with_client_of(former, promoted) do |db|
          write(db, "before")
          promote(promoted, former)
          refuse_new_connections(former)
          promoted_is_seen_while_the_former_one_is_in_use(db, former, promoted)
          it_is_not_used_again(db, former, promoted)
          it_is_used_where_the_promotion_was_given_up(db, former)
        end
      end
    end

    def test_two_clusters
      with_server do |one|
        with_server(own_cluster: true) do |other|
          Trunkline.postgres(hosts_uri(one, other)) do |db|
            assert_equal one.port, unhurried { port_of(db) }
            one.stop
            error = assert_raises(WrongCluster) { db.transaction { |tx| port_of(tx) } }
            assert_match(/\Athe host list names servers of different clusters: this one has the system identifier \d+, and .* had \d+; correct the list/, error.message)
            assert_equal ["#{other.socket_directory}:#{other.port}/postgres", false], [error.server, error.retriable?]
            db.disconnect
            assert_equal other.port, port_of(db)
          end
        end
      end
    end

    # A single server that no role is asked of is not asked for its identity.
    def test_what_a_role_without_privileges_gets
      postgres_server.psql("CREATE ROLE nothing_granted LOGIN")
      config = Config.new(postgres_server.uri(user: "nothing_granted"), env: {}, target_session_attrs: "primary")
      connection = Postgres.const_get(:Connector).new(config, cluster: cluster = Postgres.const_get(:ClusterTimeline).new).connect
      expected = postgres_server.psql("SELECT system_identifier FROM pg_control_system()").chomp
      assert_equal [expected, 1, false, connection.backend_pid, connection.server], connection.identity.to_a
      connection.io.close
      assert_equal 0, cluster.timeline, "a connection is admitted as a client takes it"
      refute_predicate Config.new(postgres_server.uri, env: {}), :identify_servers?
    ensure
      postgres_server.psql("DROP ROLE nothing_granted")
    end

    private

    def with_client_of(*servers, &block)
      Trunkline.postgres(hosts_uri(*servers, user: "app", target_session_attrs: "read-write"), connections: 1, max_connections: 4, &block)
    end

    def write(db, token) = db.value("INSERT INTO tokens VALUES ($1) RETURNING current_setting('port')::int", token)

    # Connections that are open stay. The promoted server has rights of its own.
    def refuse_new_connections(server) = server.psql("ALTER ROLE app CONNECTION LIMIT 0")

    # A query waits on the former primary, with one behind it that is not written yet.
    def promoted_is_seen_while_the_former_one_is_in_use(db, former, promoted)
      assert_equal former.port, write(db, "with the promotion unseen")
      waiting = Thread.new { assert_raises(Indeterminate) { db.query("SELECT pg_sleep(600)") } }
      assert eventually { former.psql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1\n" }
      db.transaction { |tx| assert_equal promoted.port, write(tx, "promoted") }
      assert_match(/another was promoted/, waiting.value.message)
      assert_equal promoted.port, write(db, "after")
      assert_equal "before\nwith the promotion unseen\n", former.psql("SELECT token FROM tokens")
      assert_equal "before\npromoted\nafter\n", promoted.psql("SELECT token FROM tokens")
    end

    def it_is_not_used_again(db, former, promoted)
      former.psql("ALTER ROLE app CONNECTION LIMIT -1")
      promoted.stop
      error = assert_raises(ConnectionError) { port_of(db) }
      assert_match(/it takes writes on timeline 1, and its cluster has been on timeline 2: it is a former primary/, error.message)
      assert_includes error.reasons.map(&:class), UnsuitableServer
    end

    def it_is_used_where_the_promotion_was_given_up(db, former)
      db.disconnect
      assert_equal former.port, port_of(db)
    end
  end
end
