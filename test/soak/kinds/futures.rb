# frozen_string_literal: true

module Soak
  kind(:futures_that_are_never_asked) do |load|
    db = load.client
    lambda do |count|
      count.times { |number| db.async("SELECT $1::int", number) }
      db.value("SELECT 1")
    end
  end

  kind(:futures_in_threads_that_end) do |load|
    db = load.client
    ->(count) { load.threads(count, 4) { db.async("SELECT 1") } }
  end

  kind(:futures_that_fail_or_are_cancelled) do |load|
    db = load.client
    lambda do |count|
      count.times do
        db.async("SELECT 1/0")
        load.failing(Trunkline::DivisionByZero) { db.async("SELECT 1/0").value }
        db.async("SELECT pg_sleep(0.0001)").cancel
      end
    end
  end

  kind(:large_answers_of_futures) do |load|
    db = load.client
    lambda do |count|
      count.times { db.async("SELECT repeat('x', 10000)") }
      db.value("SELECT 1")
    end
  end
end
