# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/sequel_host"
require "support/server_pair"

module Trunkline
  # What frameworks raise where a host of several goes away or is of the wrong kind, beside their own adapters.
  class FailoverErrorsTest < TestCase
    include ServerPair

    # Whatever is tested, on this adapter and on the stock one by turns.
    class Record < ::ActiveRecord::Base
      self.abstract_class = true
    end

    def teardown
      Record.remove_connection
      super
    end

    # Each tells why it cannot be used.
    def test_no_host_is_a_primary
      with_pair do |_, standby|
        active_record(standby, standby, target_session_attrs: "read-write") do |adapter|
          error = assert_raises(::ActiveRecord::ConnectionNotEstablished) { Record.lease_connection.select_value("SELECT 1") }
          assert_equal [::ActiveRecord::ConnectionNotEstablished, 2], [error.class, error.message.scan(/(?:session is|sessions are) read-only/).size], adapter
        end
        assert_raises(Sequel::DatabaseConnectionError) { sequel("postgres", standby, standby, driver_options: { target_session_attrs: "read-write" }) }
        assert_raises(Sequel::DatabaseConnectionError) { sequel("trunkline", standby, standby, target_session_attrs: "read-write") }
      end
    end

    # Where the other host refuses too, the caller is told.
    def test_a_write_on_a_standby
      with_pair do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        replayed(primary, standby)
        told = everywhere(standby) { |write, transaction| [raised { write.call }, raised { transaction.call(write) }] }
        assert_equal [[::ActiveRecord::StatementInvalid] * 2] * 2 + [[Sequel::DatabaseError] * 2] * 2, told
      end
    end

    def test_a_server_that_is_killed
      with_server do |primary|
        primary.psql("CREATE TABLE tokens (token text)")
        primary.psql("CHECKPOINT") # its commits do not wait for the disk, and are lost with it
        told = everywhere(primary) do |write, transaction, process|
          [raised { transaction.call(-> { kill(primary, process.call) && write.call }) },
           raised { transaction.call(-> { write.call && kill(primary, process.call) }) },
           raised { killed_meanwhile(primary) { write.call("pg_sleep(60)::text") } }]
        end
        assert_equal [[::ActiveRecord::ConnectionFailed] * 3] * 2 + [[Sequel::DatabaseDisconnectError] * 3] * 2, told
        assert_equal "0\n", primary.psql("SELECT count(*) FROM tokens")
      end
    end

    private

    # ActiveRecord with its own adapter and with this one, and Sequel with both.
    #
    # @yieldparam write [#call] inserts, by way of an expression in place of a token
    # @yieldparam transaction [#call] calls another within one
    # @yieldparam process [#call] the server's, of the connection
    # @return [Array] what the block returned
    def everywhere(server, &block)
      records = active_record(server, server) do
        connection = Record.lease_connection
        block.call(->(token = "'a'") { connection.execute("INSERT INTO tokens SELECT #{token}") },
                   ->(within) { Record.transaction { within.call } }, -> { connection.select_value("SELECT pg_backend_pid()") })
      end
      records + %w[postgres trunkline].map { |adapter| in_sequel(adapter, server, &block) }
    end

    def in_sequel(adapter, server)
      sequel(adapter, server, server) do |db|
        yield ->(token = "'a'") { db.run("INSERT INTO tokens SELECT #{token}") || true }, ->(within) { db.transaction { within.call } },
              -> { db.get(Sequel.lit("pg_backend_pid()")) }
      end
    end

    def active_record(*servers, **options)
      %w[postgresql trunkline].map do |adapter|
        Record.establish_connection(adapter: adapter, username: "postgres", database: "postgres", reaping_frequency: nil, **named(*servers), **options)
        yield adapter
      ensure
        Record.remove_connection
      end
    end

    def sequel(adapter, *servers, **options)
      db = Sequel.connect(adapter: adapter, user: "postgres", database: "postgres", keep_reference: false, max_connections: 1, **named(*servers), **options)
      yield db
    ensure
      db&.disconnect
      db.client.close if db.respond_to?(:client)
    end

    def named(*servers) = { host: servers.map(&:socket_directory).join(","), port: servers.map(&:port).join(",") }

    def raised
      yield
      nil
    rescue ::ActiveRecord::ActiveRecordError, Sequel::Error => error
      error.class
    end

    # One of its processes, without a word to the client; the server recovers from that.
    def kill(server, process)
      Process.kill(:KILL, process)
      assert eventually { forgotten?(server, process) }
    end

    def killed_meanwhile(server)
      over = false
      killer = Thread.new do
        sleeper = nil
        eventually { over || (sleeper = server.psql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'").to_i).positive? }
        kill(server, sleeper) unless over
      end
      yield
    ensure
      over = true
      killer.join
    end

    def forgotten?(server, process)
      server.psql("SELECT count(*) FROM pg_stat_activity WHERE pid = #{process}") == "0\n"
    rescue RuntimeError # it recovers still
      false
    end
  end
end
