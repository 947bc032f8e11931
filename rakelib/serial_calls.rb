# frozen_string_literal: true

# How a client executes a unit, one method for each kind.
module SerialCalls
  # Errors that a step may raise instead because its connection was ended, or the table changed within its transaction.
  EXCUSES = [Trunkline::Indeterminate, Trunkline::NotSent, Trunkline::ConnectionError, Trunkline::OutdatedStatement, Trunkline::AdminShutdown].freeze
  # Kinds whose result is that of the unit as a whole.
  WAYS = %i[script futures stream copy].freeze
  private_constant :WAYS

  module_function

  # @param db [Trunkline::Postgres::Client]
  # @param unit [SerialUnits::Unit]
  # @param told [Array] gets what each step returned: rows of texts, or a SQLSTATE
  def run(db, unit, told)
    db = db.with(**unit.options) unless unit.options.empty?
    case unit.kind
    when :query then told << answer { db.query(*unit.steps.first).rows }
    when :together then told << answer { db.query(*unit.steps.first, group_commit: true).rows }
    when :prepared then told << answer { db.prepare(unit.steps.first.first).query(*unit.steps.first.drop(1)).rows }
    when :batch, :atomic then told.concat(answers { batch(db, unit) })
    when *WAYS then told.concat(send(unit.kind, db, unit))
    when :nested then db.session { |session| session.transaction { |outer| outer.transaction { |inner| steps(inner, unit, told) } } }
    else db.public_send(unit.kind) { |session| steps(session, unit, told) }
    end
  end

  def steps(asker, unit, told) = unit.steps.each { |step| told << answer { asker.query(*step).rows } }

  # Each member of a batch is independent; the batch raises the error of the first that fails.
  def batch(db, unit)
    db.batch(atomic: unit.kind == :atomic) { |batch| unit.steps.each { |sql, *parameters| batch.query(sql, *parameters) } }.map(&:rows)
  end

  def script(db, unit) = answers { db.execute_script(unit.script).map(&:rows) }

  def futures(db, unit)
    unit.steps.map { |step| db.async(*step) }.map { |future| answer { future.value.rows } }
  end

  def stream(db, unit) = [answer { db.stream(*unit.steps.first, chunk: 2).map(&:values) }]

  def copy(db, unit)
    [answer { [].tap { |rows| db.copy_out(unit.steps.first.first) { |row| rows << row } } }]
  end

  def answers(&asked)
    answer = answer(&asked)
    answer.is_a?(String) ? [answer] : answer
  end

  def answer
    yield
  rescue *EXCUSES
    raise
  rescue Trunkline::ServerError => error
    error.sqlstate
  end

  private_class_method :steps, :batch, :script, :futures, :stream, :copy, :answers, :answer
end
