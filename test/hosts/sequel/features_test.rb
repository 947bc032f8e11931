# frozen_string_literal: true

require "test_helper"
require "support/sequel_host"

# What Sequel's users build on.
class SequelFeaturesTest < Trunkline::TestCase
  include Trunkline::SequelHost

  def test_models_associations_and_eager_loading
    with_columns("id serial PRIMARY KEY, name text") do |artists|
      with_columns("id serial PRIMARY KEY, artist_id int, title text") do |albums|
        with_sequel do |db|
          artist, album = Class.new(Sequel::Model(db[artists])), Class.new(Sequel::Model(db[albums]))
          artist.one_to_many(:albums, class: album, key: :artist_id, order: :id)
          album.many_to_one(:artist, class: artist, key: :artist_id)
          2.times { |number| artist.create(name: "artist #{number}").then { |one| 2.times { |at| one.add_album(title: "album #{at}") } } }
          assert_equal [["album 0", "album 1"]] * 2, artist.eager(:albums).order(:id).map { |one| one.albums.map(&:title) }
          assert_equal ["artist 0", "artist 1"], album.eager_graph(:artist).all.map { |one| one.artist.name }.uniq.sort
          assert_equal "artist 1", artist[1].update(name: "artist 1").refresh.name
        end
      end
    end
  end

  def test_migrations
    Sequel.extension :migration
    name = :"t#{SecureRandom.hex(6)}"
    migration = Sequel.migration { change { create_table(name) { primary_key :id; String :name, null: false } } }
    with_sequel do |db|
      migration.apply(db, :up)
      assert_equal %i[id name], db[name].columns
      assert_equal({ id: :integer, name: :string }, db.schema(name).to_h { |column, about| [column, about[:type]] })
      migration.apply(db, :down)
      refute db.table_exists?(name)
    end
  end

  def test_savepoints_and_hooks
    with_columns("n int") do |table|
      with_sequel do |db|
        seen = []
        db.transaction do
          db.after_commit { seen << db.in_transaction? }
          db[table].insert(n: 1)
          db.transaction(savepoint: true, rollback: :always) { db[table].insert(n: 2) }
          assert_raises(Sequel::DatabaseError) { db.transaction(savepoint: true) { db.run("SELECT 1/0") } }
        end
        assert_equal [[1], [false]], [db[table].select_map(:n), seen]
      end
    end
  end

  def test_options_of_transactions
    with_columns("n int") do |table|
      with_sequel do |db|
        shown = db.transaction(isolation: :serializable, read_only: true) { db.fetch("SELECT current_setting('transaction_isolation') AS a, current_setting('transaction_read_only') AS b").first.values }
        assert_equal %w[serializable on], shown
        tries = 0
        db.transaction(retry_on: Sequel::SerializationFailure) { (tries += 1) < 3 ? raise(Sequel::SerializationFailure) : db[table].insert(n: 1) }
        assert_equal [3, 1], [tries, db[table].count]
      end
    end
  end

  def test_prepared_transactions
    with_columns("n int") do |table|
      with_sequel do |db|
        %w[kept dropped].each { |name| db.transaction(prepare: "#{table}_#{name}") { db[table].insert(n: 1) } }
        db.commit_prepared_transaction("#{table}_kept")
        db.rollback_prepared_transaction("#{table}_dropped")
        assert_equal 1, db[table].count
      end
    end
  end

  def test_cursors
    with_columns("n int") do |table|
      psql("INSERT INTO #{table} SELECT generate_series(1, 25)")
      with_sequel do |db|
        assert_equal (1..25).to_a, db[table].order(:n).use_cursor(rows_per_fetch: 10).map { |row| row[:n] }
        assert_equal (1..25).to_a, db[table].order(:n).paged_each(rows_per_fetch: 7).map { |row| row[:n] }
        assert_equal 3, db[table].order(:n).use_cursor.each { |row| break row[:n] if row[:n] == 3 }
        db[table].use_cursor(rows_per_fetch: 1).each { |row| db[table].where_current_of.update(n: -row[:n]) if row[:n] < 3 }
        assert_equal [-2, -1, 3], db[table].order(:n).limit(3).select_map(:n)
        assert_raises(Sequel::DatabaseError) { db.fetch("SELECT 1/(n - 3) FROM #{table}").use_cursor.all }
        assert_equal 25, db[table].count
      end
    end
  end

  def test_copy
    with_columns("n int, name text") do |table|
      with_sequel do |db|
        assert_equal ["1\tAda\n2\tGrace\n"], db.copy_into(table, data: "1\tAda\n2\tGrace\n")
        lines = %W[3,Barbara\n 4,Frances\n]
        assert_nil(db.copy_into(table, format: :csv) { lines.shift })
        assert_equal "1,Ada\n2,Grace\n3,Barbara\n4,Frances\n", db.copy_table(db[table].order(:n), format: :csv)
        rows = []
        db.copy_table(table) { |row| rows << row }
        assert_equal "4\tFrances\n", rows.last
        assert_raises(Sequel::DatabaseError) { db.copy_into(table, data: "x\ty\n") }
        assert_raises(ArgumentError) { db.copy_into(table) { raise ArgumentError } }
        assert_raises(Sequel::DatabaseDisconnectError) { db.copy_table(table) { break } }
        assert_equal ArgumentError, assert_raises(Sequel::DatabaseDisconnectError) { db.copy_table(table) { raise ArgumentError } }.wrapped_exception.class
        assert_equal [4, 1], [db[table].count, db.transaction { db.copy_table(table).lines.size / 4 }]
      end
    end
  end

  # What `each` of the data has returned; none of a block.
  def test_what_copy_into_returns
    with_columns("n int") do |table|
      data = [["1\n"], "2\n", Class.new { def each = yield("3\n") && :returned }.new, ->(lines) { -> { lines.shift } }]
      returned = %w[postgres trunkline].map do |adapter|
        with_sequel(adapter) { |db| data.map { |one| one.respond_to?(:call) ? db.copy_into(table, &one.call(["4\n"])) : db.copy_into(table, data: one) } }
      end
      assert_equal returned.first, returned.last
      assert_equal [["1\n"], ["2\n"], :returned, nil], returned.last
    end
  end

  def test_listen
    with_sequel do |db|
      channel = "c#{SecureRandom.hex(6)}"
      heard = []
      assert_equal channel, db.listen(channel, after_listen: proc { db.notify(channel, payload: "one") }) { |*what| heard << what.values_at(0, 2) }
      assert_equal [[channel, "one"]], heard
      assert_nil db.listen(channel, timeout: 0.01)
      turns = 0
      db.listen([channel, "Other one"], timeout: 0.01, loop: proc { (turns += 1) > 2 && throw(:stop) }) { flunk }
      assert_equal 3, turns
      assert_raises(Sequel::Error) { db.listen(channel, loop: true) }
      assert_equal [1, 0], [db.get(1), db.client.stats[:pinned]]
    end
  end

  def test_advisory_locks
    with_sequel do |db|
      number = rand(1 << 40)
      db.with_advisory_lock(number) do
        assert_raises(Sequel::AdvisoryLockError) { Thread.new { db.with_advisory_lock(number) { nil } }.tap { |thread| thread.report_on_exception = false }.value }
      end
      assert_equal 5, Thread.new { db.with_advisory_lock(number) { 5 } }.value
    end
  end

  def test_synchronize_is_one_connection
    with_sequel do |db|
      db.synchronize do |conn|
        db.run("SET application_name = 'synchronized'")
        assert_equal ["synchronized", conn.backend_pid], db.fetch("SELECT current_setting('application_name') AS a, pg_backend_pid() AS b").first.values
        db.synchronize { |same| assert_same conn, same }
      end
      refute_equal "synchronized", db.get(Sequel.lit("current_setting('application_name')"))
    end
  end

  def test_parameters_made_by_themselves
    with_columns("id int, tags text[], data jsonb") do |table|
      with_sequel do |db|
        db.extension :pg_auto_parameterize, :pg_array, :pg_json
        db[table].insert(id: 1, tags: Sequel.pg_array(%w[a b]), data: Sequel.pg_jsonb({ "k" => 1 }))
        50.times { |id| db[table].where(id: id, tags: Sequel.pg_array(["x#{id}"])).all }
        assert_equal [%w[a b], { "k" => 1 }], db[table].where(id: 1).get(%i[tags data])
        assert_operator db.client.stats[:statements_cached], :<, 20
      end
    end
  end

  def test_what_holds_its_values_fills_no_cache
    with_sequel do |db|
      before = db.client.stats[:statements_cached]
      100.times { |number| db.get(Sequel.lit("#{number}")) }
      assert_equal before, db.client.stats[:statements_cached]
      assert_equal 0, db.get(Sequel.lit("(SELECT count(*) FROM pg_prepared_statements)"))
    end
  end

  def test_types_of_ones_own
    name = "t#{SecureRandom.hex(6)}"
    psql("CREATE TYPE #{name}_mood AS ENUM ('sad', 'happy'); CREATE EXTENSION hstore; CREATE TYPE #{name}_place AS (street text, number int)")
    with_sequel do |db|
      db.extension :pg_array, :pg_enum, :pg_hstore, :pg_row
      db.register_row_type(:"#{name}_place")
      row = db.fetch("SELECT 'happy'::#{name}_mood AS mood, 'a=>1,b=>NULL'::hstore AS h, ROW('Main St', 5)::#{name}_place AS place, ARRAY['sad']::#{name}_mood[] AS moods").first
      assert_equal ["happy", { "a" => "1", "b" => nil }, { street: "Main St", number: 5 }], [row[:mood], row[:h].to_hash, row[:place].to_hash]
      assert_equal({ "c" => "2" }, db.select(Sequel.cast(:$h, :hstore).as(:h)).call(:first, h: Sequel.hstore("c" => "2"))[:h].to_hash)
    end
  ensure
    psql("DROP TYPE #{name}_mood; DROP TYPE #{name}_place; DROP EXTENSION hstore")
  end

  def test_the_pool_of_threads
    with_sequel(num_async_threads: 2) do |db|
      db.extension :async_thread_pool
      assert_equal [[1], [2]], [1, 2].map { |number| db.select(Sequel.as(number, :n)).async.map(:n) }.map(&:to_a)
    end
  end

  def test_fiber_concurrency_does_no_harm
    program = 'require "sequel"; Sequel.extension :fiber_concurrency; db = Sequel.connect(ARGV[0]); ' \
              "db.transaction { Fiber.new { print db.in_transaction? }.resume; print db.get(1) }; db.client.close"
    library = File.expand_path("../../../lib", __dir__)
    output = IO.popen([RbConfig.ruby, "-I", library, "-e", program, postgres_server.uri.sub(/\A\w+:/, "trunkline:")], &:read)
    assert_equal "true1", output
  end
end
