# frozen_string_literal: true

module Soak
  NUMBER = "SELECT $1::int"
  private_constant :NUMBER

  kind(:threads) do |load|
    db = load.client
    ->(count) { load.threads(count) { |caller, turn| load.same(caller + turn, db.value(NUMBER, caller + turn)) } }
  end

  kind(:fibers) do |load|
    db = load.client
    ->(count) { load.fibers(count) { |caller, turn| load.same(caller + turn, db.value(NUMBER, caller + turn)) } }
  end

  kind(:values_of_all_types) do |load|
    db = load.client
    row = "SELECT n, n::text, now(), n::numeric, ARRAY[n, NULL], '1 day'::interval, '{\"a\": 1}'::jsonb, current_date, 1.5::float8, int4range(1, n) " \
          "FROM generate_series(1, 5) AS n"
    ->(count) { load.fibers(count) { db.query(row).each(&:to_h) } }
  end

  kind(:texts) do |load|
    db = load.client(max_statements: 50)
    ->(count) { load.fibers(count) { db.value("SELECT $1::int + #{load.number}", 1) } }
  end

  kind(:names_of_columns) do |load|
    db = load.client(max_statements: 50)
    symbols = db.with(keys: :symbol)
    ->(count) { load.fibers(count) { symbols.first("SELECT 1 AS c#{load.number % 500}, 'x' AS d") } }
  end

  kind(:decoders_and_settings) do |load|
    db = load.client(max_statements: 50)
    lambda do |count|
      load.fibers(count) do
        number = load.number
        db.with(decode: { 23 => ->(text) { text.to_i + number } }).value("SELECT 1")
        db.value("SELECT current_setting('soak.number')", settings: { "soak.number" => number.to_s })
      end
    end
  end

  kind(:large_values) do |load|
    db = load.client
    lambda do |count|
      load.threads(count, 3) do |_, turn|
        db.value("SELECT length($1)", "x" * (100_000 * ((turn % 8) + 1)))
        db.query("SELECT repeat('z', 1000) FROM generate_series(1, 500)").size
      end
    end
  end

  kind(:batches) do |load|
    db = load.client
    lambda do |count|
      load.fibers(count) do |_, turn|
        statements = ->(last) { db.batch(atomic: turn.even?) { |batch| [NUMBER, last].each { |sql| batch.query(sql, turn) } } }
        statements.call(NUMBER)
        load.failing(Trunkline::DivisionByZero) { statements.call("SELECT $1::int / 0") }
      end
    end
  end

  kind(:errors_and_notices) do |load|
    db = load.client
    db.on_notice { |notice| notice }
    lambda do |count|
      load.fibers(count) do |_, turn|
        load.failing(Trunkline::Error) { db.query(["SELECT 1/0", "SELECT nothing", "SET soak.number = 1"][turn % 3]) }
        load.failing(ArgumentError, Trunkline::ProtocolViolation) { db.query(NUMBER, 1, 2) }
        db.query("DROP TABLE IF EXISTS nothing").notices
      end
    end
  end

  kind(:statistics) do |load|
    db = load.client(max_statements: 50)
    lambda do |count|
      load.threads(count) do |_, turn|
        db.value("SELECT #{turn % 100}")
        db.stats
      end
    end
  end
end
