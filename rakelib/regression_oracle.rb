# frozen_string_literal: true

require "erb"
require_relative "../test/support/differential/oracle"

# Executes statements with the pg gem, in a session that starts with Trunkline's settings, so that RESET and DISCARD return to them.
class RegressionOracle < Differential::Oracle
  OPTIONS = "-c DateStyle=ISO,MDY -c IntervalStyle=postgres -c extra_float_digits=3 -c standard_conforming_strings=on"
  DONE = Differential::Answer.new(texts: [], values: [])
  private_constant :OPTIONS, :DONE

  # @param uri [String] with parameters
  def initialize(uri) = super("#{uri}&options=#{ERB::Util.url_encode(OPTIONS)}")

  # @return [Differential::Answer] as of the superclass; any other error of the pg gem's is one too
  def ask(sql, texts)
    super
  rescue PG::Error => error
    Differential::Answer.new(failure: [error.class.name, error.message])
  end

  # @return [Differential::Answer] of a COPY that reads or writes a file of the server's
  def script(sql) = answered { connection.exec(sql).then { DONE } }

  # @param data [String] rows
  # @return [Differential::Answer]
  def copy_in(sql, data)
    answered do
      connection.copy_data(sql) { connection.put_copy_data(data) }
      DONE
    end
  end

  # @return [Differential::Answer] the rows as one text
  def copy_out(sql)
    answered do
      rows = +""
      connection.copy_data(sql) do
        while (row = connection.get_copy_data)
          rows << row
        end
      end
      Differential::Answer.new(texts: [[rows]], values: [[rows]])
    end
  end

  # @return [Boolean] whether no transaction is open
  def idle? = connection.transaction_status == PG::PQTRANS_IDLE

  # Resets the session to its initial state.
  def reset
    connection.exec("ROLLBACK")
    connection.exec("DISCARD ALL")
  end

  private

  def answered
    yield
  rescue PG::ServerError => error
    failed(error)
  rescue PG::Error => error
    Differential::Answer.new(failure: [error.class.name, error.message])
  end

  # Its decoders fail on what extra_float_digits and DateStyle make of values.
  def decoded(text, type)
    super
  rescue TypeError
    Differential::Answer::UNKNOWN
  end
end
