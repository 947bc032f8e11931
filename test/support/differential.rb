# frozen_string_literal: true

require "bigdecimal"
require "date"
require "ipaddr"
require "trunkline"
require_relative "differential/answer"
require_relative "differential/databases"
require_relative "differential/expressions"
require_relative "differential/oracle"
require_relative "differential/statements"
require_relative "sharing"

# Statements of every type in databases with many configurations, through Trunkline and the pg gem. Both must get the same text of each value, equal
# values where the pg gem has a decoder, and the same SQLSTATE, message and name of class where a statement fails.
class Differential
  # Trunkline requests a statement's result as text first, and in binary format later.
  EXECUTIONS = 3
  # Random statements may take any time.
  LIMITED = { "statement_timeout" => "2s" }.freeze
  CANCELLED = "57014"
  private_constant :EXECUTIONS, :LIMITED, :CANCELLED

  # @return [Integer] comparisons so far: a statement in a database
  attr_reader :compared

  # @param server [Trunkline::Bench::PostgresServer] gets databases, one after the other
  def initialize(server)
    @server = server
    @compared = 0
  end

  # @param short [Boolean] some databases, not all
  # @return [Array<String>] what differs: database, statement, both answers
  # @yieldparam name [String] of each database that is done
  # @yieldparam differences [Array<String>] in it
  def run(short: false, &done)
    Databases.all(@server, short: short).flat_map { |name, kind| compare_in(name, kind, &done) }
  end

  # Runs them in databases with random settings. A difference begins with the settings.
  #
  # @param seeds [Enumerable<Integer>] one for each database
  # @return see {#run}
  def run_random(seeds, &done)
    seeds.flat_map do |seed|
      _, _, settings, = kind = Databases.random(@server, seed)
      compare_in("random_#{seed}", kind, &done).map { |difference| "#{settings}: #{difference}" }
    end
  end

  # Compares so many random statements from the catalogue, and calls as many functions that may change something. Nothing of a session that another
  # caller would notice may change, unless the client refuses the statement. A difference begins with the statement.
  #
  # @param seed [Integer]
  # @param count [Integer]
  # @return [Array<String>]
  def run_catalogue(seed, count)
    Databases.create(@server, "differential_catalogue_#{seed}", "UTF8", "C", LIMITED) do |uri|
      statements = Expressions.new(uri, seed)
      oracles = Array.new(2) { Oracle.new(uri) }
      Trunkline.postgres(uri, connections: 1, max_connections: 1) do |db|
        before = session_of(db)
        Array.new(count) do
          [compare_reading(db, oracles, *statements.reading), changed(db, before, *statements.calling)]
        end.flatten.compact
      end
    ensure
      oracles&.each(&:close)
    end
  end

  private

  # Answers that differ in two sessions of the pg gem depend on the time, or on the session.
  def compare_reading(db, oracles, sql, parameters, given)
    expected, other = oracles.map { |oracle| unnamed(oracle.ask(sql, given)) }
    return unless expected.shown == other.shown

    text, *answers = [db.with(decode: { default: :text }), *Array.new(EXECUTIONS) { db }].map { |asked| unnamed(ask(asked, sql, parameters)) }
    return if [expected, text, *answers].any? { |answer| answer.failure&.first == CANCELLED }

    @compared += 1
    difference(expected, text, answers)&.prepend("#{sql} #{given}: ")
  rescue Trunkline::SharedStateError
    nil
  end

  # The names of some rare errors are shorter in the pg gem, or have a prefix: Trunkline::PG translates them.
  def unnamed(answer) = answer.failure ? Answer.new(failure: [answer.failure.first, "", answer.failure.last]) : answer

  def changed(db, before, sql, parameters, _given)
    db.query(sql, *parameters)
    "#{sql}: left #{session_of(db) - before}" unless session_of(db) == before
  rescue Trunkline::SharedStateError => error
    "#{sql}: #{error.message}" if error.sent?
  rescue Trunkline::ServerError, TypeError, ArgumentError
    nil
  end

  def session_of(db) = db.query("SELECT 'process ' || pg_backend_pid() UNION ALL #{Sharing::PROBE}").rows.flatten.sort

  def compare_in(name, kind)
    found = Databases.create(@server, "differential_#{name}", *kind) { |uri| compare(uri) }
    found.map { |difference| "#{name}: #{difference}" }.tap { |differences| yield name, differences if block_given? }
  end

  def compare(uri)
    oracle = Oracle.new(uri)
    Trunkline.postgres(uri, connections: 1, max_connections: 2) do |db|
      texts = db.with(decode: { default: :text })
      Statements::ALL.filter_map do |sql, parameters, given|
        @compared += 1
        difference(oracle.ask(sql, given), ask(texts, sql, parameters), Array.new(EXECUTIONS) { ask(db, sql, parameters) })&.prepend("#{sql}: ")
      end
    end
  ensure
    oracle&.close
  end

  def ask(db, sql, parameters)
    Answer.new(values: db.query(sql, *parameters).rows)
  rescue Trunkline::Error, TypeError, ArgumentError => error
    Answer.failed(error)
  end

  # Trunkline refuses a nil in an Array where the server would read it as the text "NULL", which the pg gem stores.
  def refused_null?(answer) = answer.failure&.last.to_s.start_with?("array_nulls is off")

  def difference(expected, text, answers)
    return if expected.shown.include?("NULL") && [text, *answers].all? { |answer| refused_null?(answer) }
    return "the pg gem has #{expected.shown}, Trunkline #{text.shown} as text" unless text.failure == expected.failure && text.values == expected.texts

    wrong = answers.index { |answer| !expected.agrees?(answer) || !answers.first.same?(answer) }
    "the pg gem has #{expected.shown}, Trunkline #{answers[wrong].shown} at execution #{wrong + 1}, #{answers.first.shown} at the first" if wrong
  end
end
