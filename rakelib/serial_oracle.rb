# frozen_string_literal: true

require "pg"

# What the steps of a unit return if it is alone in a fresh session of the pg gem: rows of texts, or a SQLSTATE.
class SerialOracle
  # @param uri [String]
  def initialize(uri)
    @pg = PG.connect(uri)
    @pg.set_notice_processor { nil }
  end

  # @param unit [SerialUnits::Unit]
  # @param parsed_again [Boolean] whether the server has forgotten all plans before each step
  # @return [Array<Array, String>]
  def answers(unit, parsed_again)
    begin_with(unit.options, unit.transaction? || unit.kind == :atomic || unit.options.any?)
    return script(unit) if unit.kind == :script

    unit.steps.map do |sql, *parameters|
      @pg.exec("DISCARD PLANS") if parsed_again && @pg.transaction_status != PG::PQTRANS_INERROR
      unit.kind == :copy ? copied(sql) : answer(sql, parameters, named: unit.kind == :stream)
    end
  ensure
    @pg.exec("ROLLBACK") unless @pg.transaction_status == PG::PQTRANS_IDLE
    @pg.exec("DISCARD ALL")
  end

  def close = @pg.close

  private

  def begin_with(options, transaction)
    @pg.exec("BEGIN") if transaction
    options.fetch(:settings, {}).each { |name, value| @pg.exec_params("SELECT set_config($1, $2, true)", [name, value]) }
    @pg.exec_params("SELECT set_config('role', $1, true)", [options[:role]]) if options[:role]
  end

  # @param named [Boolean] whether rows are Hashes, in which of columns of one name the last one counts
  def answer(sql, parameters, named: false)
    result = @pg.exec_params(sql, parameters)
    named ? result.map(&:values) : result.values
  rescue PG::Error => error
    sqlstate(error)
  end

  # All results, of which the last one may be an error.
  def script(unit)
    @pg.send_query(unit.script)
    results = []
    while (result = @pg.get_result)
      results << (result.error_field(PG::PG_DIAG_SQLSTATE) || result.values)
    end
    results
  end

  def copied(sql)
    rows = []
    @pg.copy_data(sql, PG::TextDecoder::CopyRow.new) { rows << @pg.get_copy_data while rows.last || rows.empty? }
    rows.compact
  rescue PG::Error => error
    sqlstate(error)
  end

  def sqlstate(error) = error.result.error_field(PG::PG_DIAG_SQLSTATE)
end
