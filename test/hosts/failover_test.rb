# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/sequel_host"
require "support/server_pair"

module Trunkline
  # Frameworks whose database has several hosts.
  class FrameworksFailoverTest < TestCase
    include ServerPair

    # A model of the pair's.
    class Token < ::ActiveRecord::Base
      self.abstract_class = true
    end

    def teardown
      Token.remove_connection
      super
    end

    # Named in the URL, as DATABASE_URL has it, and in a Hash, as database.yml.
    def test_writers_wait_for_the_next_primary
      with_pair do |primary, standby|
        primary.psql("CREATE TABLE tokens (token text)")
        with_both(url(standby, primary, failover_wait: 600), hash(standby, primary, failover_wait: 600)) do |sequel|
          assert_equal [primary.port.to_s] * 2, [Token.lease_connection.select_value("SHOW port"), sequel.get(Sequel.lit("current_setting('port')"))]
          replayed(primary, standby)
          primary.stop
          ways = { "Sequel" => ->(token) { sequel[:tokens].insert(token: token) }, "Sequel in a transaction" => ->(token) { sequel.transaction { sequel[:tokens].insert(token: token) } },
                   "ActiveRecord" => ->(token) { insert(token) }, "ActiveRecord in a transaction" => ->(token) { Token.transaction { insert(token) } } }
          writers = ways.map { |token, way| Thread.new { way.call(token) } }
          assert eventually { sequel.client.stats[:queue].values_at(:to_share, :to_pin).sum.positive? }
          standby.psql("SELECT pg_promote()")
          writers.each(&:value)
          assert_equal ways.keys.sort, standby.psql("SELECT token FROM tokens").split("\n").sort
        end
      end
    end

    # As libpq's URLs have them, in DATABASE_URL too.
    def test_hosts_in_front_of_the_path
      with_pair(settings: { "listen_addresses" => "127.0.0.1" }) do |primary, standby|
        ["127.0.0.1:#{standby.port},127.0.0.1:#{primary.port}", "127.0.0.1:#{primary.port},127.0.0.1:#{standby.port}"].each do |hosts|
          url = "trunkline://post%67res:pass%2Cw%40rd@#{hosts}/postgres?target_session_attrs=read-write"
          [url, database_url(url)].each do |config|
            Token.establish_connection(config)
            assert_equal primary.port.to_s, Token.lease_connection.select_value("SHOW port")
          end
          Sequel.connect(url, keep_reference: false) { |sequel| assert_equal primary.port.to_s, sequel.get(Sequel.lit("current_setting('port')")) }
        end
      end
    end

    # Sequel itself passes over options that it does not know, and the client would connect to the default host.
    def test_hosts_and_ports_are_options_of_neither
      [{ hosts: "one.example,two.example" }, { driver_options: { hosts: %w[one.example two.example] } }].each do |options|
        error = assert_raises(Sequel::Error) { Sequel.connect("trunkline:///app", keep_reference: false, test: true, **options) }
        assert_match(/hosts is no option of this adapter: several are named as in host: "one.example,two.example"/, error.message)
      end
      error = assert_raises(Sequel::Error) { Sequel.connect("trunkline://one.example/app?ports=5432,5433", keep_reference: false) }
      assert_match(/ports is no option of this adapter: several are named as in port: "5432,5433"/, error.message)
    end

    # As the stock adapters: it is no time-out of the pool's.
    def test_what_is_raised_where_no_host_is_there
      with_server do |one|
        with_both(hash(one, one, failover_wait: 0.2, target_session_attrs: "any"), hash(one, one, failover_wait: 0.2, target_session_attrs: "any")) do |sequel|
          one.stop
          3.times do
            assert_raises(::ActiveRecord::ConnectionNotEstablished) { Token.lease_connection.select_value("SELECT 1") }
            assert_raises(Sequel::DatabaseConnectionError) { sequel.get(1) }
          end
        end
      end
    end

    private

    def with_both(database, sequels)
      Token.establish_connection(database.is_a?(Hash) ? { username: "postgres", **database } : database)
      sequel = Sequel.connect(user: "postgres", keep_reference: false, **sequels)
      yield sequel
    ensure
      sequel&.disconnect
      sequel&.client&.close
    end

    # What Rails makes of that variable.
    def database_url(url)
      before = ENV.fetch("DATABASE_URL", nil)
      ENV["DATABASE_URL"] = url
      ::ActiveRecord::DatabaseConfigurations.new({}).configs_for(env_name: "default_env").first
    ensure
      ENV["DATABASE_URL"] = before
    end

    def url(*servers, **options) = "trunkline:///postgres?#{URI.encode_www_form(username: "postgres", **named(*servers), **options)}"
    def hash(*servers, **options) = { adapter: "trunkline", database: "postgres", **named(*servers), **options }

    def named(*servers)
      { host: servers.map(&:socket_directory).join(","), port: servers.map(&:port).join(","), target_session_attrs: "read-write" }
    end

    def insert(token) = Token.lease_connection.execute("INSERT INTO tokens VALUES ('#{token}')")
  end
end
