# frozen_string_literal: true

require "test_helper"
require "support/replica_servers"
require "support/sequel_host"

# Sequel's own way to read from replicas: a server that reads go to.
class SequelReplicasTest < Trunkline::TestCase
  include Trunkline::ReplicaServers
  include Trunkline::SequelHost

  PORT = Sequel.cast(Sequel.function(:current_setting, "port"), Integer)
  private_constant :PORT

  def setup
    super
    @primary, @standbys = Trunkline::ReplicaServers.shared.to_a
    servers = [*@standbys, @primary]
    all = { host: servers.map(&:socket_directory).join(","), port: servers.map(&:port).join(","), user: "postgres", database: "postgres" }
    readers = { read_only: { target_session_attrs: "prefer-standby", load_balance_hosts: "random" }, first: { target_session_attrs: "any", host: @standbys.first.socket_directory, port: @standbys.first.port } }
    @db = Sequel.connect(adapter: "trunkline", target_session_attrs: "primary", servers: readers, keep_reference: false, **all)
    @primary.psql("CREATE TABLE noted (number int); INSERT INTO noted VALUES (0)") # before Sequel looks for its key, on a standby
    @standbys.each { |standby| replayed(@primary, standby) }
    unhurried { @db.select(PORT).server(:read_only).single_value } # connects to a standby, however late both answer
  end

  def teardown
    @standbys.each { |standby| resume(standby) }
    @primary.psql("DROP TABLE noted")
    @db.disconnect
    @db.client.close
    super
  end

  def numbers(dataset = @db[:noted]) = dataset.select_map([:number, PORT.as(:port)])

  def test_datasets_read_from_standbys_and_write_to_the_primary
    assert_includes @standbys.map(&:port), numbers.first.last
    assert_equal [[0, @primary.port]], numbers(@db[:noted].server(:default))
    assert_equal 1, @db[:noted].update(number: 1)
    assert_equal [@primary.port], @db[:noted].returning(PORT.as(:port)).update(number: 1).map { |row| row[:port] }
    assert_equal [[1, @primary.port]], numbers(@db[:noted].for_update), "which locks, and so goes to the primary"
    assert_equal 2, @db[:noted].insert_select(number: 2)[:number]
  end

  # Nothing is replayed meanwhile, so what a standby reads is old for certain.
  def test_what_a_standby_has_not_replayed_is_not_seen
    @standbys.each { |standby| pause(standby) }
    @db[:noted].update(number: 1)
    assert_equal 0, @db[:noted].get(:number)
    assert_equal 0, @db[:noted].server(:read_only).get(:number)
    assert_equal 1, @db[:noted].server(:default).get(:number)
  end

  def test_a_server_by_its_name
    assert_equal @standbys.first.port, @db.select(PORT).server(:first).single_value
    assert_equal @standbys.first.port, @db.transaction(server: :first) { @db.select(PORT).server(:first).single_value }
    @db.extension :server_block
    assert_equal @standbys.first.port, @db.with_server(:first) { @db.select(PORT).single_value }
    error = assert_raises(Sequel::DatabaseError) { @db[:noted].server(:first).insert(number: 2) }
    assert_match(/read-only transaction/, error.message)
  end

  # Within a transaction all goes to its server, as with Sequel's own adapter.
  def test_transactions_read_on_the_primary
    @standbys.each { |standby| pause(standby) }
    @db.transaction do
      @db[:noted].update(number: 2)
      assert_equal [2], @db[:noted].server(:default).select_map(:number)
    end
  end

  def test_models
    model = Class.new(Sequel::Model(@db[:noted]))
    model.unrestrict_primary_key
    assert_includes @standbys.map(&:port), model.get(PORT)
    assert_equal @primary.port, model.server(:default).get(PORT)
  end
end
