# frozen_string_literal: true

# Cancels statements of a millisecond, on connections that others use, too, and counts what is hit.
class Storm
  ROOT = File.expand_path("..", __dir__)
  # Callers that cancel, each one query after the other, and callers that only send queries.
  CANCELLERS = 8
  NEIGHBOURS = 16
  # Queries directly behind the one that is cancelled.
  BEHIND = 5
  private_constant :ROOT, :CANCELLERS, :NEIGHBOURS, :BEHIND

  def initialize
    $LOAD_PATH.unshift(File.join(ROOT, "lib"), File.join(ROOT, "bench"))
    require "async"
    require "trunkline"
    require "support/servers/postgres_server"
    @counts = { cancelled: 0, come_to_its_end: 0, right: 0, hit: 0 }
  end

  # @param cancels [Integer]
  # @return [Hash{Symbol => Integer}] cancelled and come_to_its_end of those aimed at; right and hit of all others
  def run(cancels)
    @left = cancels
    server = Trunkline::Bench::PostgresServer.start
    Trunkline.postgres(server.uri, connections: 2, max_connections: 3) { |db| Sync { |task| rage(task, db) } }
    @counts
  end

  private

  def rage(task, db)
    neighbours = Array.new(NEIGHBOURS) { |number| task.async { loop { tell(db.async("SELECT $1::int", number), number) } } }
    Array.new(CANCELLERS) { task.async { cancel_one(db) while (@left -= 1) >= 0 } }.each(&:wait)
    neighbours.each(&:stop)
  end

  def cancel_one(db)
    target = db.async("SELECT pg_sleep(0.001)")
    behind = Array.new(BEHIND) { |number| db.async("SELECT $1::int", number) }
    @counts[target.cancel ? :cancelled : :come_to_its_end] += 1
    behind.each_with_index { |future, number| tell(future, number) }
  end

  def tell(future, number)
    @counts[future.value.value == number ? :right : :hit] += 1
  rescue Trunkline::Error
    @counts[:hit] += 1
  end
end
