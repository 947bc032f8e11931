# frozen_string_literal: true

require "test_helper"
require "active_record"
require "action_dispatch"
require "rack/mock"
require "trunkline/active_record/registration"
require "trunkline/active_record/position_resolver"
require "support/replica_servers"

module Trunkline
  # ActiveRecord's roles over one entry of database.yml, and Rails' automatic switching between them.
  class ActiveRecordReplicasTest < TestCase
    include ReplicaServers

    # All that stands in database.yml.
    class Model < ::ActiveRecord::Base
      self.abstract_class = true
    end

    PORT = "SELECT current_setting('port')::int"
    private_constant :PORT

    def setup
      super
      @primary, @standbys = ReplicaServers.shared.to_a
      servers = [*@standbys, @primary]
      config = { adapter: "trunkline", host: servers.map(&:socket_directory).join(","), port: servers.map(&:port).join(","), username: "postgres",
                 database: "postgres", replicas: true }
      @before = ::ActiveRecord::Base.configurations
      ::ActiveRecord::Base.configurations = { "test" => { "app" => config } }
      ::ActiveRecord::Base.connects_to(database: { writing: config, reading: config })
    end

    def teardown
      @standbys.each { |standby| resume(standby) }
      %i[writing reading].each { |role| ::ActiveRecord::Base.connection_handler.remove_connection_pool("ActiveRecord::Base", role: role) }
      ::ActiveRecord::Base.configurations = @before
      super
    end

    def test_one_entry_serves_both_roles
      assert_equal @primary.port, port
      reading do
        assert_includes @standbys.map(&:port), port
        assert_raises(::ActiveRecord::ReadOnlyError) { base.execute("CREATE TABLE never (number int)") }
        ::ActiveRecord::Base.transaction { assert_includes @standbys.map(&:port), port }
        assert_includes @standbys.map(&:port), ::ActiveRecord::Base.async_count_by_sql(PORT).value
      end
      assert_equal @primary.port, port
    end

    def test_a_session_reads_what_it_has_written
      base.execute("CREATE TABLE noted (number int)")
      base.execute("INSERT INTO noted VALUES (0)")
      @standbys.each { |standby| replayed(@primary, standby) }
      @standbys.each { |standby| pause(standby) }
      session = {}
      assert_equal [0, true], get(session)
      post(session) { base.execute("UPDATE noted SET number = 1") }
      assert_equal [1, false], get(session), "from the primary"
      assert_equal [0, true], get({}), "another session's"
      resume(@standbys.first)
      replayed(@primary, @standbys.first)
      assert(eventually { get(session) == [1, true] }, "from the replica that has it")
      assert_raises(RuntimeError) { post(session) { base.execute("UPDATE noted SET number = 2") && raise("after it") } }
      assert_equal 2, get(session).first, "what was written before the error too"
    ensure
      base.execute("DROP TABLE IF EXISTS noted")
    end

    private

    def base = ::ActiveRecord::Base.lease_connection
    def port = base.select_value(PORT)
    def reading(&block) = with_long_connecting { ::ActiveRecord::Base.connected_to(role: :reading, &block) }

    def get(session) = request("GET", session) { base.select_rows("SELECT number, pg_is_in_recovery() FROM noted").first }
    def post(session, &block) = request("POST", session, &block)

    # What the block returned, run as a request of that session.
    def request(method, session)
      value = nil
      application = ->(_env) { [200, {}, [(value = yield).to_s]] }
      selector = ::ActiveRecord::Middleware::DatabaseSelector.new(application, ActiveRecord::PositionResolver, ActiveRecord::PositionResolver::Session)
      with_long_connecting { selector.call(::Rack::MockRequest.env_for("/", method: method, "rack.session" => session)) }
      value
    end
  end
end
