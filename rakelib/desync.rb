# frozen_string_literal: true

require_relative "desync_proxy"

# Runs queries over a proxy that changes messages of a real server, and counts queries that get another one's answer.
#
# Two mutations are left out, as no client can detect them by the protocol, whose messages have no number of the request: an answer that is repeated
# from BindComplete to ReadyForQuery, and one that is missing as a whole. Nor can a client detect a row that is replaced by another row of the same
# answer; it is counted as forged. Two mutations of one answer may cancel each other out (a row left out, and a tag that counts none): the proxy does
# not change messages so close together.
class Desync
  AT_ONCE = 8       # queries in flight
  ONE_IN = 40       # messages; most connections last some ten answers
  DEADLINE = 0.5    # seconds: a message that is missing at the end of the stream leaves its query without an answer
  ROWS = [1, 1, 3, 6].freeze # numbers of rows of the statements' answers
  STATEMENTS = ROWS.map.with_index { |rows, number| "SELECT $1::text AS v FROM generate_series(1, #{rows}) -- #{number}" }.freeze
  TOKEN = /\A\d+-\d+\z/n
  HONEST_TRIES = 5  # in which connections that mutations have broken are still detected
  private_constant :AT_ONCE, :ONE_IN, :DEADLINE, :ROWS, :STATEMENTS, :TOKEN, :HONEST_TRIES

  # @return [Hash{Symbol => Integer}] right; refused, with an error of the gem's; forged; crossed, with another query's value; incomplete,
  #   with another number of rows than the server sent; unexpected, with any other error; spoilt, statements that gave no right answer over new connections without mutations
  attr_reader :counts

  # @param server [#socket_directory, #port]
  # @param seed [Integer]
  def initialize(server, seed:)
    @server = server
    @seed = seed
    @counts = Hash.new(0)
  end

  # Runs so many batches of queries with one client, which remembers statements meanwhile.
  #
  # @param batches [Integer]
  # @return [Hash{Symbol => Integer}] {#counts}
  def round(batches)
    DesyncProxy.open(@server, seed: @seed += 1000, one_in: ONE_IN) do |proxy|
      Trunkline.postgres(proxy.uri, connections: 2, max_connections: 3, connect_timeout: 2) do |db|
        batches.times { |number| batch(db, number) }
        proxy.forward_unchanged
        STATEMENTS.zip(ROWS) { |sql, rows| check(db, sql, rows) }
      end
      proxy.done.each { |mutation, times| @counts[mutation] += times }
    end
    @counts
  end

  private

  def batch(db, number)
    asked = Array.new(AT_ONCE) do |at|
      which = at % STATEMENTS.size
      ["#{number}-#{at}", ROWS[which], ask(db, STATEMENTS[which], "#{number}-#{at}")]
    end
    asked.each { |token, rows, future| @counts[outcome(token, rows) { future.value }] += 1 if future }
  end

  def ask(db, sql, token)
    db.async(sql, token, deadline: DEADLINE)
  rescue Trunkline::Error
    @counts[:refused] += 1
    nil
  end

  def outcome(token, rows)
    values = yield.rows.map(&:first)
    others = values.reject { |value| value == token }
    if others.any? { |value| TOKEN.match?(value.to_s.b) } then :crossed
    elsif values.size != rows then :incomplete
    else others.empty? ? :right : :forged
    end
  rescue Trunkline::Error
    :refused
  rescue StandardError => error
    warn error.full_message(highlight: false)
    :unexpected
  end

  # A statement that, by a forged answer, has left something behind is refused for the rest of the client's life, before it is sent.
  def check(db, sql, rows)
    return if db.classify(sql) == :session

    @counts[:spoilt] += 1 if HONEST_TRIES.times.none? { |try| outcome("0-#{try}", rows) { db.query(sql, "0-#{try}", deadline: 10) } == :right }
  end
end
