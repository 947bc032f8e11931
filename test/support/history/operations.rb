# frozen_string_literal: true

require_relative "../interruptions"

class History
  # What callers do with a client, each time with new tokens.
  class Operations
    include Interruptions

    # Relative frequencies.
    WEIGHTS = { read: 8, rows: 3, large: 1, types: 3, variety: 3, changing: 3, insert: 8, insert_many: 3, append: 2,
                future: 3, futures: 3, abandon: 2, cancelled: 2, failure: 2, transaction: 4, early_transaction: 1,
                thrown_transaction: 1, failed_transaction: 1, serializable: 2, rollback: 2, session: 1, script: 1, wait: 1 }.freeze

    # The same with many futures begun in a row, whose requests and answers are more than narrow sockets hold.
    WITH_BURSTS = WEIGHTS.merge(burst: 10).freeze

    # One in so many operations has a deadline, and so many seconds are the longest.
    HURRIED = 10
    LONGEST_DEADLINE = 0.05
    # Number of SQL texts of one operation, and of lists that are appended to.
    TEXTS = 1500
    LISTS = 8
    # Bytes.
    LARGEST = 100_000
    # Futures of a burst, at most, and bytes of the parameter of each.
    BURST = 300
    BURST_BYTES = 500
    private_constant :HURRIED, :LONGEST_DEADLINE, :TEXTS, :LISTS, :LARGEST, :BURST, :BURST_BYTES

    # @return [String] SQL that makes the tables which the operations use, with this prefix
    def self.create(prefix)
      "CREATE TABLE #{prefix}_rows (token bigint); CREATE TABLE #{prefix}_lists (id int PRIMARY KEY, tokens bigint[]); " \
        "INSERT INTO #{prefix}_lists SELECT id, '{}' FROM generate_series(1, #{LISTS}) AS id; " \
        "CREATE TABLE #{prefix}_changing AS SELECT id, id * 1000 AS value FROM generate_series(1, #{LISTS}) AS id"
    end

    # @return [String] SQL that removes them
    def self.drop(prefix) = "DROP TABLE IF EXISTS #{prefix}_rows, #{prefix}_lists, #{prefix}_changing"

    # @param db [Trunkline::Postgres::Client]
    # @param history [History]
    # @param prefix [String] of the tables
    # @param kinds [Hash{Symbol => Integer}] weights
    # @param waits [Array<Symbol>] of {Interruptions::WAITS}
    def initialize(db, history, prefix, kinds: WEIGHTS, waits: WAITS)
      @db = db
      @history = history
      @waits = waits
      @rows = "#{prefix}_rows"
      @lists = "#{prefix}_lists"
      @changing = "#{prefix}_changing"
      @kinds = kinds.flat_map { |kind, weight| [kind] * weight }
    end

    # Performs an operation, with the random numbers of a member of the crowd, and records its outcome.
    def act(crowd, member)
      kind = @kinds.sample(random: member.random)
      entry = @history.begin(kind, member.number, kind.end_with?("many", "transaction", "futures") ? 3 : 1)
      kind == :wait ? wait(entry, member.random) : crowd.exposed(member) { carry_out(kind, entry, member.random) }
      entry.answered
    rescue Trunkline::Error => error
      entry.refused(error)
      sleep(0.01) # as callers without a server do
    rescue *Crowd::INTERRUPTIONS => error
      entry.interrupted(error)
      raise
    rescue StandardError => error
      entry.unexplained(error)
    end

    private

    def carry_out(kind, entry, random)
      return send(kind, entry, random) unless random.rand(HURRIED).zero?

      entry.note("has a deadline")
      Trunkline.deadline(random.rand * LONGEST_DEADLINE) { send(kind, entry, random) }
    end

    # Waits for something else, which no wake-up of the client may end.
    def wait(entry, random)
      entry.fate = :never
      kind = @waits.sample(random: random)
      entry.expect([kind, true], [kind, undisturbed?(kind)])
    end

    def read(entry, random)
      entry.fate = :never
      entry.expect(entry.token, @db.value("SELECT $1::bigint", entry.token, idempotent: random.rand < 0.5))
    end

    def rows(entry, random)
      entry.fate = :never
      count = random.rand(1..50)
      rows = @db.query("SELECT $1::bigint + n, 'row ' || n FROM generate_series(1, $2::int) AS n", entry.token, count).rows
      entry.expect(Array.new(count) { |number| [entry.token + number + 1, "row #{number + 1}"] }, rows)
    end

    def large(entry, random)
      entry.fate = :never
      text = entry.token.to_s * random.rand(LARGEST / 10)
      entry.expect([[text * 2, text.size]], @db.query("SELECT $1 || $1, length($1::text)", text).rows)
    end

    # Parameters that are converted for the types that the server has described.
    def types(entry, _)
      entry.fate = :never
      array, hash, range = [entry.token, nil, 2], { "token" => entry.token }, (entry.token...entry.token + 5)
      row = @db.query("SELECT $1::bigint[], $2::jsonb, $3::int8range @> $4::bigint", array, hash, range, entry.token).rows.first
      entry.expect([array, hash, true], row)
    end

    # More statements than the client keeps.
    def variety(entry, random)
      entry.fate = :never
      number = random.rand(TEXTS)
      entry.expect(entry.token + number, @db.value("SELECT $1::bigint + #{number}", entry.token))
    end

    # A table whose columns may come and go, and change their types.
    def changing(entry, random)
      entry.fate = :never
      id = random.rand(1..LISTS)
      row = @db.first("SELECT * FROM #{@changing} WHERE id = $1", id)
      entry.expect([id, id * 1000], [row["id"], row["value"].to_i])
    end

    def insert(entry, _)
      entry.expect(entry.token, @db.value("INSERT INTO #{@rows} VALUES ($1) RETURNING token", entry.token))
    end

    def insert_many(entry, _)
      result = @db.query("INSERT INTO #{@rows} SELECT unnest($1::bigint[]) RETURNING token", entry.tokens)
      entry.expect(entry.tokens, result.rows.flatten)
    end

    def append(entry, random)
      id = random.rand(1..LISTS)
      seen = @db.value("UPDATE #{@lists} SET tokens = tokens || $1::bigint WHERE id = $2 RETURNING tokens", entry.token, id)
      return entry.expect([entry.token], seen) unless seen.is_a?(Array)

      entry.expect(entry.token, seen.last)
      @history.saw(id, seen, entry)
    end

    def future(entry, random)
      future = @db.async("INSERT INTO #{@rows} VALUES ($1) RETURNING token", entry.token)
      future.wait(random.rand * 0.005) if random.rand < 0.3
      entry.expect(entry.token, future.value.value)
    end

    def futures(entry, random)
      entry.fate = :never
      futures = entry.tokens.map { |token| @db.async("SELECT $1::bigint", token) }
      entry.expect(entry.tokens, futures.shuffle(random: random).map { |future| future.value.value }.sort)
    end

    def burst(entry, random)
      entry.fate = :never
      text = "x" * BURST_BYTES
      futures = Array.new(random.rand(1..BURST)) { |number| @db.async("SELECT $1::bigint, $2::text || $2", entry.token + number, text) }
      rows = futures.each_with_index.map { |future, number| [number, future.value.rows] }
      rows.each { |number, found| entry.expect([[entry.token + number, text * 2]], found) }
    end

    # The answer is not awaited, or not for long.
    def abandon(entry, random)
      future = @db.async("INSERT INTO #{@rows} VALUES ($1)", entry.token)
      return entry.leave_open unless random.rand < 0.5 && future.wait(random.rand * 0.005)

      entry.expect(1, future.value.affected_rows)
    end

    # The query may be cancelled or not; no other query may be.
    def cancelled(entry, random)
      sql = "INSERT INTO #{@rows} SELECT $1::bigint FROM pg_sleep($2::float8)"
      future = @db.async(sql, entry.token, random.rand * LONGEST_DEADLINE)
      future.wait(random.rand * LONGEST_DEADLINE)
      return entry.leave_open if future.cancel

      entry.expect(1, future.value.affected_rows)
    end

    def failure(entry, _)
      entry.fate = :never
      @db.query("INSERT INTO #{@rows} VALUES ($1), (1 / ($1 - $1))", entry.token)
      entry.expect("an error", "none")
    rescue Trunkline::DivisionByZero
      nil
    end

    # Before COMMIT is sent, nothing of it may be there.
    def transaction(entry, _)
      @db.transaction do |tx|
        entry.fate = :never
        insert_all(tx, entry)
        entry.expect(entry.tokens, own_tokens(entry))
        entry.fate = :perhaps
      end
    end

    # Leaving a block by `break` commits.
    def early_transaction(entry, _)
      @db.transaction do |tx|
        entry.fate = :never
        insert_all(tx, entry)
        entry.fate = :perhaps
        break
      end
    end

    def thrown_transaction(entry, _)
      entry.fate = :never
      catch(:thrown) do
        @db.transaction do |tx|
          insert_all(tx, entry)
          throw :thrown
        end
      end
    end

    # Reads a value, and writes one that depends on it: no other caller may have written meanwhile.
    def serializable(entry, random)
      id = random.rand(1..LISTS)
      seen = @db.transaction(isolation: :serializable, retries: 5) do |tx|
        entry.fate = :never
        tokens = tx.value("SELECT tokens FROM #{@lists} WHERE id = $1", id) << entry.token
        tx.query("UPDATE #{@lists} SET tokens = $1 WHERE id = $2", tokens, id)
        entry.fate = :perhaps
        tokens
      end
      @history.saw(id, seen, entry)
    rescue Trunkline::SerializationFailure
      entry.fate = :never
    end

    def failed_transaction(entry, _)
      entry.fate = :never
      @db.transaction do |tx|
        insert_all(tx, entry)
        tx.query("SELECT 1 / $1::int", 0)
      end
      entry.expect("an error", "none")
    rescue Trunkline::DivisionByZero
      nil
    end

    def rollback(entry, random)
      entry.fate = :never
      @db.transaction do |tx|
        tx.query("INSERT INTO #{@rows} VALUES ($1)", entry.token)
        entry.expect(entry.tokens, own_tokens(entry)) if random.rand < 0.5
        raise Trunkline::Rollback
      end
    end

    # State that a caller leaves in a session must not be found by the next one.
    def session(entry, _)
      entry.fate = :never
      @db.session do |session|
        left = session.value("SELECT current_setting('history.token', true)")
        session.query("SELECT set_config('history.token', $1, false)", entry.token.to_s)
        entry.expect([true, entry.token.to_s], [left.to_s.empty?, @db.value("SELECT current_setting('history.token')")])
      end
    end

    def script(entry, _)
      results = @db.execute_script("INSERT INTO #{@rows} VALUES (#{entry.token}) RETURNING token; SELECT #{entry.token}")
      entry.expect([entry.token] * 2, results.map(&:value))
    end

    def insert_all(tx, entry)
      entry.tokens.each { |token| tx.query("INSERT INTO #{@rows} VALUES ($1)", token) }
    end

    def own_tokens(entry)
      @db.query("SELECT token FROM #{@rows} WHERE token = ANY($1) ORDER BY token", entry.tokens).rows.flatten
    end
  end
end
