# frozen_string_literal: true

require "timeout"
require_relative "../../support/schedulers/dropping"

module Soak
  kind(:stopped_fibers) do |load|
    db = load.client
    lambda do |count|
      Sync do |task|
        (0...count).each_slice(40) do |numbers|
          tasks = numbers.map do |number|
            task.async { number % 4 == 0 ? db.transaction { |tx| tx.query("SELECT pg_sleep(0.002)") } : db.query("SELECT pg_sleep(0.001)") }
          end
          task.sleep(0.001 * (load.number % 4))
          tasks.each(&:stop)
        end
      end
    end
  end

  # In the middle of a query, a transaction, an attempt to connect, or in line; by a thread that ends, and by one that asks on.
  kind(:fibers_dropped_with_their_loop) do |load|
    db = load.client
    lambda do |count|
      (0...count).each_slice(8) do |numbers|
        asks_on = load.number.even?
        Thread.new do
          Dropping.run { numbers.each { |number| Fiber.schedule { number % 4 == 0 ? db.transaction { |tx| tx.query("SELECT 1") } : db.query("SELECT 1") } } }
          load.same(1, db.value("SELECT 1")) if asks_on
        end.join
        load.same(1, db.transaction { |tx| tx.value("SELECT 1") })
      end
    end
  end

  kind(:timeouts_in_threads) do |load|
    db = load.client
    lambda do |count|
      load.threads(count) do |caller, _|
        load.failing(Timeout::Error, Trunkline::Error) do
          Timeout.timeout(0.002) { caller.even? ? db.query("SELECT pg_sleep(0.004)") : db.transaction { |tx| tx.query("SELECT pg_sleep(0.004)") } }
        end
      end
    end
  end

  kind(:deadlines) do |load|
    db = load.client
    lambda do |count|
      load.fibers(count) do |caller, _|
        load.failing(Trunkline::Error) do
          next db.query("SELECT pg_sleep(0.005)", deadline: 0.001) if caller.even?

          Trunkline.deadline(0.002) { db.transaction { |tx| tx.query("SELECT pg_sleep(0.005)") } }
        end
      end
    end
  end

  kind(:killed_threads) do |load|
    db = load.client
    lambda do |count|
      (0...count).each_slice(12) do |numbers|
        threads = numbers.map do |number|
          Thread.new { number % 3 == 0 ? db.transaction { |tx| loop { tx.query("SELECT 1") } } : loop { db.query("SELECT 1") } }
        end
        sleep(0.003)
        threads.each(&:kill).each(&:join)
        db.value("SELECT 1")
      end
    end
  end

  kind(:threads_that_end) do |load|
    db = load.client
    lambda do |count|
      count.times { Thread.new { [db.value("SELECT 1"), db.async("SELECT 2"), db.transaction { |tx| tx.value("SELECT 3") }] }.join }
    end
  end

  kind(:ended_connections) do |load|
    db = load.client(application_name: "soak_ended")
    killer = load.client(connections: 1, max_connections: 2)
    lambda do |count|
      load.fibers(count, 12) do |caller, _|
        next killer.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'soak_ended' LIMIT 2") if caller.zero?

        load.failing(Trunkline::Error) { caller % 3 == 0 ? db.transaction { |tx| tx.query("SELECT 1") } : db.async("SELECT 1").value }
      end
    end
  end

  kind(:connections_that_live_briefly) do |load|
    db = load.client(max_lifetime: 0.05)
    ->(count) { load.fibers(count) { |caller, _| caller % 4 == 0 ? db.transaction { |tx| tx.value("SELECT 1") } : db.value("SELECT 1") } }
  end

  kind(:forks) do |load|
    db = load.client
    lambda do |count|
      count.times do
        pid = fork { exit!(db.value("SELECT 2") == 2 && db.transaction { |tx| tx.value("SELECT 3") } == 3) }
        db.value("SELECT 1")
        Process.wait2(pid).last.success? or raise "a child failed"
      end
    end
  end
end
