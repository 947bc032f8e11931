# frozen_string_literal: true

module Soak
  # One connection to each of these, of an adapter that keeps what a caller leaves behind.
  sequel = lambda do |load|
    require "sequel"
    Sequel.connect(load.uri.sub(/\A\w+:/, "trunkline:"), keep_reference: false)
  end

  sequel_work = lambda do |load, db, turn|
    case turn % 5
    when 0 then db.transaction(rollback: :always) { db.get(turn) }
    when 1 then db[Sequel.lit("(SELECT ?::int AS n) t", turn)].get(:n)
    when 2 then load.failing(Sequel::DatabaseError) { db.transaction { db.transaction(savepoint: true) { db.run("SELECT 1/0") } } }
    when 3 then db.synchronize { db.run("SET work_mem = '7MB'") }
    else db.run("SET work_mem = '7MB'") if turn % 60 == 4
    end
  end

  kind(:sequel_in_threads) do |load|
    db = sequel.call(load)
    ->(count) { load.threads(count) { |caller, turn| sequel_work.call(load, db, caller + turn) } }
  end

  kind(:sequel_in_fibers) do |load|
    db = sequel.call(load)
    ->(count) { load.fibers(count, 6) { |caller, turn| sequel_work.call(load, db, caller + turn) } }
  end

  kind(:sequel_databases) do |load|
    lambda do |count|
      count.times do
        db = sequel.call(load)
        db.transaction { db.get(1) }
        db.run("SET work_mem = '7MB'")
        db.disconnect
        db.client.close
      end
    end
  end

  # In threads alone: ActiveRecord itself remembers ended fibers for a while, with any adapter.
  active_record = lambda do |load|
    require "pg"
    require "active_record"
    require "trunkline/active_record/registration"
    ActiveRecord::Base.establish_connection(load.uri.sub(/\A\w+:/, "trunkline:"))
    lambda do |turn|
      ActiveRecord::Base.connection_pool.with_connection do |connection|
        connection.select_value("SELECT #{turn % 50}")
        connection.transaction { connection.transaction(requires_new: true) { connection.select_value("SELECT 1") && raise(ActiveRecord::Rollback) } }
        load.failing(ActiveRecord::StatementInvalid) { connection.execute("SELECT 1/0") }
      end
    end
  end

  kind(:active_record_in_threads) do |load|
    work = active_record.call(load)
    ->(count) { load.threads(count, 4) { |_, turn| work.call(turn) } }
  end

  kind(:memcached) do |load|
    cache = Trunkline.memcached(load.memcached)
    lambda do |count|
      load.threads(count) do |_, turn|
        cache.set("key#{turn % 500}", [turn, "x" * (turn % 50)])
        cache.set_multi({ "a#{turn % 100}" => 1, "b" => "y" * 5000 }, 60)
        cache.get_multi("a#{turn % 100}", "b", "none")
        cache.incr("n", 1, 60, 1)
      end
    end
  end

  kind(:memcached_clients) do |load|
    ->(count) { count.times { |turn| Trunkline.memcached(load.memcached).tap { |cache| cache.get("key") }.then { |cache| cache.close if turn.even? } } }
  end
end
