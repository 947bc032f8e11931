# frozen_string_literal: true

require "timeout"

# Each action asks in one of the ways that a client knows.
class QueriesController < RageController::API
  def value = answer(DB.value("SELECT $1::int", number))

  def transaction
    answer(DB.transaction { |tx| [tx.value("SELECT $1::int", number), tx.value("SELECT pg_current_xact_id_if_assigned() IS NULL")] })
  end

  def future = answer(Array.new(3) { |turn| DB.async("SELECT $1::int", number + turn) }.map { |future| future.value.value })
  def stream = answer(DB.stream("SELECT n FROM generate_series(1, $1::int) AS n", number).each.sum { |row| row["n"] })
  def large = answer(DB.value("SELECT $1::text", "x" * (300_000 + number)).size)
  def record = answer(Row.find(number).name)
  def sleep = answer(DB.value("SELECT 1 FROM pg_sleep(60)"))

  def deadline
    DB.value("SELECT 1 FROM pg_sleep(60)", deadline: 0.1)
  rescue Trunkline::Deadline => error
    answer(error.class.name)
  end

  def timed
    Timeout.timeout(0.1) { DB.value("SELECT 1 FROM pg_sleep(60)") }
  rescue Timeout::Error => error
    answer(error.class.name)
  end

  # Asks no client.
  def slept
    Timeout.timeout(0.1) { Kernel.sleep(0.3) }
    answer("slept")
  rescue Timeout::Error => error
    answer(error.class.name)
  end

  # The fiber inside of an Enumerator is not one of Rage's, whatever it waits for.
  def enumerated
    each = Enumerator.new { |rows| 2.times { rows << DB.value("SELECT $1::int FROM pg_sleep(0.01)", number) } }
    answer([each.sum, first_error(each), first_error(Enumerator.new { |numbers| numbers << Kernel.sleep(0.01) })])
  end

  private

  def first_error(enumerator)
    enumerator.next
  rescue NoMethodError => error
    error.message
  end

  def number = Integer(params[:number])
  def answer(value) = render(json: { value: value })
end
