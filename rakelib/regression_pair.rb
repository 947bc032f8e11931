# frozen_string_literal: true

require_relative "regression_difference"

# Executes the same statements with Trunkline and the pg gem, one after the other, on separate servers.
class RegressionPair
  READS = /\A[\s(]*(?:SELECT|VALUES|TABLE|WITH|SHOW|EXPLAIN)\b/i
  # Executions of a query that compare values, after the one that compares texts: Trunkline requests the binary format when it knows the columns.
  EXECUTIONS = [2, 3].freeze
  private_constant :READS, :EXECUTIONS

  # @param sql [String]
  # @return [Boolean] whether it has rows and, but for functions that write, can be executed again
  def self.reads?(sql) = READS.match?(sql)

  # @return [Array<RegressionDifference>]
  attr_reader :differences

  # @return [Integer] requests that Trunkline has refused: they would leave state in a shared session, or change how values are written
  attr_reader :refused

  # @param file [String] for the differences
  # @param caller [RegressionCaller]
  # @param oracle [RegressionOracle]
  # @param apart [Boolean] whether statements must leave nothing in a session
  def initialize(file, caller, oracle, apart: false)
    @file = file
    @caller = caller
    @oracle = oracle
    @apart = apart
    @differences = []
    @refused = 0
  end

  # Executes a statement; a query two more times.
  #
  # @param given [Array<String>] parameters
  # @return [Boolean] whether the server has executed it
  def query(sql, given = [])
    succeeded = texts(sql, -> { @caller.texts(sql, given) }) { @oracle.ask(sql, given) }
    EXECUTIONS.each { |number| values(sql, given, number) } if succeeded && self.class.reads?(sql)
    succeeded
  end

  # @param data [String] rows
  # @return [Boolean] whether the server has accepted them
  def copy_in(sql, data) = texts(sql, -> { @caller.copy_in(sql, data) }) { @oracle.copy_in(sql, data) }

  # @return [Boolean] whether the server has sent all
  def copy_out(sql) = texts(sql, -> { @caller.copy_out(sql) }) { @oracle.copy_out(sql) }

  # @return [Boolean] whether a statement without rows has succeeded
  def script(sql) = texts(sql, -> { @caller.script(sql) }) { @oracle.script(sql) }

  # @return [Boolean] whether no transaction is open
  def idle? = @oracle.idle?

  private

  def texts(sql, ours, &theirs)
    both(ours, theirs) do |expected, answer|
      add RegressionDifference.of_texts(@file, shown(sql), expected, answer)
      expected.failure.nil?
    end
  end

  def values(sql, given, number)
    both(-> { @caller.values(sql, given) }, -> { @oracle.ask(sql, given) }) do |expected, answer|
      add RegressionDifference.of_values(@file, "#{shown(sql)} [execution #{number}]", expected, answer)
    end
  end

  def add(difference) = difference && @differences << difference

  # Executes a statement with both; also when Trunkline has refused its answer, as later statements may depend on its effect.
  def both(ours, theirs)
    answer = ours.call
    yield(theirs.call, answer)
  rescue Trunkline::SharedStateError => error
    @refused += 1
    theirs.call if error.sent?
    @oracle.reset if error.sent? && @apart
    false
  end

  def shown(sql) = @apart ? "[db.query] #{sql}" : sql
end
