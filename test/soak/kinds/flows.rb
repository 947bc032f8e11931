# frozen_string_literal: true

require "stringio"

module Soak
  ROWS = "SELECT n FROM generate_series(1, $1::int) AS n"
  private_constant :ROWS

  kind(:streams) do |load|
    db = load.client
    lambda do |count|
      load.fibers(count, 6) do |_, turn|
        case turn % 3
        when 0 then db.stream(ROWS, 50_000) { |row| break if row["n"] == 3 }
        when 1 then db.transaction { |tx| tx.stream(ROWS, 2000) { |row| break if row["n"] == 3 } }
        else db.stream(ROWS, 2000, chunk: 100).lazy.map { |row| row["n"] }.first(2)
        end
      end
    end
  end

  kind(:copies) do |load|
    db = load.client
    db.query("CREATE TABLE IF NOT EXISTS soak_copies (n int, page text)")
    lambda do |count|
      load.threads(count) do |_, turn|
        case turn % 4
        when 0 then db.transaction { |tx| tx.copy_in("COPY soak_copies FROM STDIN") { |copy| 20.times { |n| copy << [n, "/"] } }.then { tx.rollback } }
        when 1 then load.failing(IndexError) { db.copy_in("COPY soak_copies FROM STDIN") { |copy| copy << [1, "/"] && raise(IndexError) } }
        when 2 then db.copy_out("COPY (SELECT generate_series(1, 20000)) TO STDOUT") { break }
        else load.failing(Trunkline::Error) { db.copy_in("COPY soak_copies FROM STDIN (FORMAT csv)", StringIO.new("x,y\n")) }
        end
      end
    end
  end

  kind(:subscriptions) do |load|
    db = load.client
    lambda do |count|
      count.times do
        subscription = db.listen("soak#{load.number % 50}", "soak_other#{load.number}")
        db.notify(subscription.channels.first, "x")
        subscription.wait(20) or raise "no notification"
        subscription.close
      end
    end
  end

  kind(:dropped_subscriptions) do |load|
    db = load.client
    kept = db.listen("soak_kept")
    lambda do |count|
      (16 * count).times { db.listen("soak_dropped#{load.number % 100}") } # as each collection takes long: a kept one is seen after 30 of them
      kept.wait(0)
      GC.start
    end
  end
end
