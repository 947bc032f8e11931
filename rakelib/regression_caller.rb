# frozen_string_literal: true

require "stringio"
require "trunkline"
require_relative "../test/support/differential/answer"

# Executes statements with Trunkline, in a session or, each time in another thread, through a shared client.
class RegressionCaller
  TRANSLATION = Trunkline::PG.const_get(:Translation)
  private_constant :TRANSLATION

  # @param executor [Trunkline::Postgres::Session, Trunkline::Postgres::Client]
  # @param apart [Boolean] whether each request comes from another thread: a thread without a session
  def initialize(executor, apart: false)
    @executor = executor
    @texts = executor.with(decode: { default: :text })
    @apart = apart
  end

  # @return [Differential::Answer] the rows' texts
  # @raise [Trunkline::SharedStateError]
  def texts(sql, given) = answered { @texts.query(sql, *given).rows }

  # @return [Differential::Answer] the rows' values
  # @raise [Trunkline::SharedStateError]
  def values(sql, given) = answered { @executor.query(sql, *given).rows }

  # @return [Differential::Answer]
  def script(sql) = answered { @executor.execute_script(sql).then { [] } }

  # @param data [String] rows
  # @return [Differential::Answer]
  def copy_in(sql, data) = answered { @executor.copy_in(sql, StringIO.new(data)).then { [] } }

  # @return [Differential::Answer] the rows as one text
  def copy_out(sql)
    answered do
      rows = +""
      @executor.copy_out(sql, StringIO.new(rows))
      [[rows]]
    end
  end

  private

  def answered(&block)
    Differential::Answer.new(values: @apart ? in_thread(&block) : yield)
  rescue Trunkline::SharedStateError
    raise
  rescue StandardError => error
    failed(error)
  end

  # The pg gem's names of some classes are shorter, or have a prefix.
  def failed(error)
    sqlstate, name, message = Differential::Answer.failed(error).failure
    Differential::Answer.new(failure: message ? [sqlstate, TRANSLATION.name_of(name, sqlstate), message] : [sqlstate, name])
  end

  def in_thread(&block)
    Thread.new do
      Thread.current.report_on_exception = false
      block.call
    end.value
  end
end
