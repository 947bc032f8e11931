# frozen_string_literal: true

module Soak
  endings = lambda do |load, db|
    db.transaction do |tx|
      tx.value("SELECT 1")
      load.failing(Trunkline::DivisionByZero) { tx.transaction { |savepoint| savepoint.query("SELECT 1/0") } }
      tx.transaction { |savepoint| savepoint.value("SELECT 1") && raise(Trunkline::Rollback) }
      tx.after_commit { load.number }
    end
    load.failing(Trunkline::DivisionByZero) { db.transaction { |tx| tx.query("SELECT 1/0") } }
    db.transaction { |tx| tx.query("SELECT 1") && tx.rollback }
  end

  kind(:transactions_in_threads) do |load|
    db = load.client
    ->(count) { load.threads(count) { endings.call(load, db) } }
  end

  kind(:transactions_in_fibers) do |load|
    db = load.client
    ->(count) { load.fibers(count) { endings.call(load, db) } }
  end

  # Two at a time, each in a fiber that ends, without an event loop.
  kind(:transactions_in_plain_fibers) do |load|
    db = load.client
    begun = lambda do
      Fiber.new do
        db.transaction do |tx|
          Fiber.yield(tx.value("SELECT 1"))
          Enumerator.new { |yielder| yielder << db.value("SELECT 2") }.next
        end
      end
    end
    lambda do |count|
      count.times do
        pair = [begun.call, begun.call]
        load.same([1, 1, 2, 2], Array.new(2) { pair.map(&:resume) }.flatten)
      end
    end
  end

  kind(:sessions) do |load|
    db = load.client
    work = lambda do |caller, _|
      db.session do |session|
        session.query("SET work_mem = '8MB'")
        session.query("CREATE TEMP TABLE soaked AS SELECT 1 AS a")
        session.query("SELECT * FROM soaked")
        session.query("SELECT pg_advisory_lock($1)", caller + 1)
      end
    end
    ->(count) { load.number.even? ? load.threads(count, &work) : load.fibers(count, 6, &work) }
  end

  kind(:group_commits) do |load|
    db = load.client(group_commit: true)
    db.query("CREATE TABLE IF NOT EXISTS soak_groups AS SELECT n AS id, 0 AS hits FROM generate_series(0, 20) AS n")
    lambda do |count|
      load.fibers(count) do |caller, turn|
        db.query("UPDATE soak_groups SET hits = hits + 1 WHERE id = $1", caller)
        load.failing(Trunkline::DivisionByZero) { db.query("UPDATE soak_groups SET hits = 1 / 0 WHERE id = $1", caller) } if turn % 10 == 0
      end
    end
  end

  kind(:types_that_come_and_go) do |load|
    db = load.client(max_types: 20, max_statements: 50)
    lambda do |count|
      count.times do
        name = "soak_type_#{load.number}"
        db.query("CREATE TYPE #{name} AS (a int, b text)")
        load.same({ "a" => 1, "b" => "x" }, db.value("SELECT ROW(1, 'x')::#{name}"))
        db.query("DROP TYPE #{name}")
      end
    end
  end
end
