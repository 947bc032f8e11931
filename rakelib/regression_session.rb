# frozen_string_literal: true

require_relative "regression_pair"

# Executes the steps of a script in one session, each by the method for its kind; steps that read and leave no transaction open also with db.query.
class RegressionSession
  COPY = /\A\s*COPY\b/i
  COPY_OUT = /\A\s*COPY\b.*\bTO\s+stdout/im
  # Statements that are executed once, as they take long, or return durations.
  ONCE = /\bpg_sleep|EXPLAIN ANALYZE/i
  PARAMETRIZED = /\A\s*(?:INSERT|UPDATE|DELETE|SELECT|VALUES|WITH)\b/i
  LITERAL = /(?<![&\w])'((?:[^']|'')*)'/
  private_constant :COPY, :COPY_OUT, :ONCE, :PARAMETRIZED, :LITERAL

  # @param pair [RegressionPair] in the session
  # @param shared [RegressionPair] in none
  # @param parameters [Boolean] whether string literals are given as parameters
  def initialize(pair, shared, parameters:)
    @pair = pair
    @shared = shared
    @parameters = parameters
  end

  # @param step [PsqlScript::Step] no :connect
  # @return [Boolean] whether the server has executed it
  def perform(step)
    sql = step.text
    return @pair.copy_in(sql, step.data) if step.kind == :copy_in
    return @pair.copy_out(sql) if COPY_OUT.match?(sql)
    return @pair.script(sql) if COPY.match?(sql)

    query(*(@parameters ? parametrized(sql) : [sql, []]))
  end

  private

  def query(sql, given)
    @pair.query(sql, given).tap do |succeeded|
      @shared.query(sql, given) if succeeded && RegressionPair.reads?(sql) && @pair.idle? && !ONCE.match?(sql)
    end
  end

  def parametrized(sql)
    return [sql, []] if sql.include?("$") || !PARAMETRIZED.match?(sql)

    given = []
    [sql.gsub(LITERAL) { "$#{given.push($1.gsub("''", "'")).size}" }, given]
  end
end
