# frozen_string_literal: true

module Soak
  # One connection: a value that is asked for comes behind all futures, and none is in flight when the next look is taken. Each that is takes
  # some 6 slots, and their number depends on how busy the machine is.
  ONE = { connections: 1, max_connections: 1 }.freeze
  private_constant :ONE

  kind(:futures_that_are_never_asked) do |load|
    db = load.client(**ONE)
    lambda do |count|
      count.times { |number| db.async("SELECT $1::int", number) }
      db.value("SELECT 1")
    end
  end

  # Few futures a thread: the lists of the last eight threads that ended stay, with an Array for each future, until a further thread begins
  # one.
  kind(:futures_in_threads_that_end) do |load|
    db = load.client(**ONE)
    lambda do |count|
      (count / 40.0).ceil.times { load.threads(40, 4) { db.async("SELECT 1") } }
      db.value("SELECT 1")
    end
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
