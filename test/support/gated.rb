# frozen_string_literal: true

require_relative "gate_proxy"

# Tests that control when an answer comes. The test includes a host.
module Gated
  # A query whose answer no test would wait for.
  ENDLESS = "SELECT pg_sleep(1000)"
  # Queries after which a statement is known to be short, also on a machine that was late with the first one: otherwise a query whose answer is held
  # here would count as long, and be cancelled when its caller is stopped.
  KNOWN_AFTER = 4

  # Runs the block in the host, with a client whose connections go through a proxy.
  #
  # @param tcp [Boolean] whether they are TCP's, where a closed peer shows only after the first write to it
  # @yieldparam db [Trunkline::Postgres::Client] connected, its statements known to the server
  # @yieldparam proxy [GateProxy]
  def gated(**options, &block) = in_host { behind_proxy(**options, &block) }

  # The same, in a host already: several callers may have a client and a proxy each.
  def behind_proxy(connections: 1, tcp: false, **options)
    GateProxy.open(postgres_server, tcp: tcp) do |proxy|
      Trunkline.postgres(proxy.uri, connections: connections, max_connections: [connections, 2].max, **options) do |db|
        KNOWN_AFTER.times { ask(db, 0) }
        yield db, proxy
      end
    end
  end

  # A query that the server answers at once, with the token.
  def ask(db, token)
    db.value("SELECT $1::int", token)
  end

  # Sends queries as long as the block returns true, at least one.
  #
  # @return [Boolean] whether every answer was the right one
  def ask_on(db, token)
    begin
      right = ask(db, token) == token
    end while right && yield
    right
  end

  # Holds the server's answers, and starts the blocks as callers, each after the query of the one before has arrived: the first leads, the others
  # sleep.
  #
  # @return [Array<Caller>]
  def in_flight(proxy, *blocks)
    proxy.hold(:answers)
    before = proxy.messages(:requests)["S"]
    blocks.map.with_index(before + 1) do |block, count|
      later(&block).tap { proxy.await_messages(:requests, "S", count) }
    end
  end

  # A caller whose large query is sent in part; nothing more passes until the proxy resumes.
  #
  # @return [Caller] that is answered with the query's size
  def stuck_in_the_middle(db, proxy, size = 8_000_000)
    start = proxy.bytes(:requests)
    caller = later { db.value("SELECT length($1::text)", "x" * size) }
    proxy.await { |policies| policies[:requests].arrived > start + 100_000 && policies.each_value { |policy| policy.stalled = true } }
    caller
  end

  # The block's INSERT is behind a query that is sent in part, and is abandoned: it must have no effect, and the query is answered.
  #
  # @yieldparam db [Client]
  # @yieldparam insert [String] SQL with one parameter
  def behind_one_that_is_stuck
    with_table("id int") do |table|
      gated do |db, proxy|
        insert = "INSERT INTO #{table} VALUES ($1)"
        db.query(insert, 0)
        large = stuck_in_the_middle(db, proxy)
        yield db, insert
        proxy.resume
        assert_equal [8_000_000, 6], [large.value, ask(db, 6)]
        assert_equal [[0]], db.query("SELECT id FROM #{table}").rows
      end
    end
  end

  # On a busy machine a deadline may pass before the query is sent: then it is tried again.
  #
  # @yield a question with a deadline that will pass
  # @return [Trunkline::Deadline] of one that was sent
  def late_after_sending(&question)
    error = assert_raises(Trunkline::Deadline, &question) until error&.sent?
    error
  end

  # Callers that query the tokens and return the answers.
  def askers(db, tokens)
    tokens.map { |token| -> { ask(db, token) } }
  end
end
