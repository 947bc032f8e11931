# frozen_string_literal: true

require "test_helper"
require "support/chosen_pauses"
require "support/frozen_server"
require "support/resolver"
require "support/server_pair"

module Trunkline
  # One name for a cluster, which is moved to another server.
  class MovedNameTest < TestCase
    include ChosenPauses
    include FrozenServer
    include Resolver
    include ServerPair

    NAME = "db.example"
    private_constant :NAME

    # The name leads to a standby for a while: callers wait until it is promoted, or the name is moved on.
    def test_writers_wait_for_the_name
      with_name do |names, primary, standby|
        Trunkline.postgres(uri(target_session_attrs: "read-write"), connections: 2, failover_wait: 600) do |db|
          assert_equal primary.port, port_of(db)
          names[NAME] = address(standby)
          db.disconnect
          callers = Array.new(2) { Thread.new { port_of(db) } } << Thread.new { db.transaction { |tx| port_of(tx) } }
          assert eventually { db.stats[:queue].values_at(:to_share, :to_pin).sum >= 2 }
          names[NAME] = address(primary)
          assert_equal [primary.port] * 3, callers.map(&:value)
        end
      end
    end

    # A connection that was opened before stays at the standby until a write is refused there.
    def test_a_write_goes_where_the_name_leads_by_now
      with_name do |names, primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        replayed(primary, standby)
        names[NAME] = address(standby)
        Trunkline.postgres(uri) do |db|
          assert_equal standby.port, port_of(db)
          names[NAME] = address(primary)
          db.query("INSERT INTO tokens VALUES ('moved')")
          assert_equal ["moved\n", primary.port], [primary.psql("SELECT token FROM tokens"), port_of(db)]
        end
      end
    end

    # The server owes an answer, and its name is moved after the promotion. Nothing else tells that the server is not there.
    def test_an_answer_is_awaited_from_a_frozen_server
      with_name do |names, primary, standby|
        Trunkline.postgres(uri(target_session_attrs: "read-write"), max_connections: 1, silence: 0.2, failover_wait: 600) do |db|
          assert_equal primary.port, port_of(db)
          replayed(primary, standby)
          frozen(primary) do
            waiting = Thread.new { assert_raises(Indeterminate) { port_of(db) } }
            assert eventually { db.stats[:in_flight] == 1 }
            behind = Thread.new { db.value("SELECT current_setting('port')::int", idempotent: true) }
            standby.psql("SELECT pg_promote()")
            names[NAME] = address(standby)
            assert_match(/sent nothing/, waiting.join(60)&.value&.message)
            assert_equal [standby.port] * 2, [behind.join(60)&.value, port_of(db)]
          end
        end
      end
    end

    # An attempt to connect is under way that would take ten minutes.
    def test_an_attempt_at_a_frozen_server_is_under_way
      moved_from_a_frozen_server(connect_timeout: 600) { |db| db.stats[:opening] == 1 }
    end

    # A pause of ten minutes has begun.
    def test_the_pause_after_an_attempt_at_a_frozen_server
      with_each_pause(600) do
        moved_from_a_frozen_server(connect_timeout: 2, failover_wait: 600) { |db| db.stats[:queue][:to_share] == 1 && db.stats[:opening].zero? }
      end
    end

    private

    # A caller waits for a connection to a frozen server, whose name is moved.
    #
    # @yieldreturn [Boolean] whether it may be moved
    def moved_from_a_frozen_server(connect_timeout:, **options)
      with_name do |names, primary, standby|
        promote(standby, primary)
        Trunkline.postgres(uri(connect_timeout: connect_timeout), connections: 1, **options) do |db|
          frozen(primary) do
            waiting = Thread.new { port_of(db) }
            assert eventually { yield db }
            names[NAME] = address(standby)
            assert_equal standby.port, waiting.join(60)&.value
          end
        end
      end
    end

    # The name leads to the primary.
    def with_name
      with_pair do |primary, standby|
        names = { NAME => address(primary) }
        resolving(names) { yield names, primary, standby }
      end
    end

    # With the server's port, whichever was asked for.
    def address(server) = Addrinfo.tcp("127.0.0.1", server.port)

    def uri(**options) = "postgresql://postgres@#{NAME}:5432/postgres?#{options.map { |name, value| "#{name}=#{value}" }.join("&")}"
  end
end
