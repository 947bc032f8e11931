# frozen_string_literal: true

class GivenUpCallers
  # What the callers of a round call. Each method takes a token, a source of random numbers, and the seconds of a slow statement, and returns the token.
  class Calls
    WAYS = %i[value rows past_its_deadline slow transaction savepoint sleeping session future unasked batch stream large copy subscription write writes].freeze
    private_constant :WAYS

    # @param db [Trunkline::Postgres::Client]
    # @param most [Integer] connections that the client may have
    def initialize(db, most)
      @db = db
      @most = most
    end

    # One of them.
    def any(token, random, slow) = public_send(WAYS.sample(random: random), token, random, slow)

    def value(token, *) = @db.value("SELECT $1::text", token)
    def rows(token, *) = @db.query("SELECT $1::text AS a, $2::int[] AS b, now() AS c, 1.5::numeric AS d", token, [1, 2])[0]["a"]
    def past_its_deadline(token, random, slow) = @db.value("SELECT $1::text FROM pg_sleep($2)", token, slow, deadline: random.rand * 0.1)
    def slow(token, random, slow) = @db.value("SELECT $1::text FROM pg_sleep($2)", token, random.rand(3).zero? ? slow : 0.02)
    def future(token, *) = @db.async("SELECT $1::text", token).value.value
    def unasked(token, _, slow) = @db.async("SELECT pg_sleep($1)", slow / 10.0) && token
    def batch(token, *) = @db.batch { |batch| batch.query("SELECT 1") && batch.query("SELECT $1::text", token) }[1].value
    # Where writes of many share a flush, this one does so if others write at the same time.
    def write(token, *) = @db.value("INSERT INTO given_up_writes VALUES ($1) RETURNING token", token)

    # These always do.
    def writes(token, *)
      @db.batch { |batch| 2.times { batch.query("INSERT INTO given_up_writes VALUES ($1) RETURNING token", token) } }[1].value
    end

    def stream(token, *) = @db.stream("SELECT $1::text AS token, n FROM generate_series(1, 5000) n", token).first(3).last["token"]
    def large(token, *) = @db.value("SELECT $1::text || $2::text", token, "x" * 300_000).delete_suffix("x" * 300_000)

    def copy(token, *)
      @db.copy_out("COPY (SELECT '#{token}', n FROM generate_series(1, 3000) n) TO STDOUT") { |row| return row.first }
    end

    # Its subscription is closed, or dropped. It needs a connection of its own, which a client with one has not got.
    def subscription(token, random, *)
      return token if @most < 2

      subscription = @db.listen("given_up_#{random.rand(1 << 30)}")
      @db.notify(subscription.channels.first, token)
      notification = subscription.wait([0.01, PATIENCE].sample(random: random))
      subscription.close if random.rand(2).zero?
      notification.nil? || notification.gap? ? token : notification.payload
    end

    def transaction(token, *)
      @db.transaction do |transaction|
        transaction.query("SELECT 1")
        transaction.value("SELECT $1::text", token)
      end
    end

    def savepoint(token, random, slow)
      @db.transaction do |transaction|
        transaction.transaction { slow(token, random, slow / 4.0) }
        transaction.value("SELECT $1::text", token)
      end
    end

    # Nothing is in flight while it sleeps.
    def sleeping(token, random, _)
      @db.transaction do |transaction|
        sleep random.rand * 0.1
        transaction.value("SELECT $1::text", token)
      end
    end

    def session(token, *)
      @db.session do |session|
        session.query("SET work_mem = '7MB'")
        session.value("SELECT $1::text", token)
      end
    end
  end
  private_constant :Calls
end
