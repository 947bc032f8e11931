# frozen_string_literal: true

require "pg"
require "trunkline"

# A connection of Trunkline's and one of the pg gem's, which prepare each statement when it is first executed, and keep it.
class FormerTypesCaller
  WRITING = /\A(?:INSERT|UPDATE|DELETE)/
  private_constant :WRITING

  # @param uri [String] of the server
  # @param statements [Hash{String => String}] SQL by name
  # @param restore [Proc] sets the table back to what it was
  # @yieldparam caller [FormerTypesCaller] for the block
  def self.open(uri, statements, restore)
    pg = PG.connect(uri)
    Trunkline.postgres(uri, connections: 1) { |db| yield new(db, pg, statements, restore) }
  ensure
    pg&.close
  end

  def initialize(client, postgres, statements, restore)
    @restore = restore
    @client = client
    @postgres = postgres
    @statements = statements
    @prepared = {}
  end

  # @param name [String] of a statement
  # @param value [Object] for Trunkline
  # @param text [String] the same for the pg gem
  # @return [Array(Array, Array)] the rows of each, in an order that does not depend on their plans, or the error's SQLSTATE
  def both(name, value, text)
    restoring = ->(answer) { (answer.is_a?(Array) ? answer.sort_by(&:to_s) : answer).tap { @restore.call if WRITING.match?(@statements.fetch(name)) } }
    [restoring.call(trunkline(@statements.fetch(name), value)), restoring.call(postgres(name, text))]
  end

  private

  def trunkline(sql, value)
    @client.query(sql, value).rows.map(&:first)
  rescue Trunkline::ServerError => error
    error.sqlstate
  rescue Trunkline::Error, ArgumentError, TypeError, RangeError => error
    error.class.name
  end

  def postgres(name, text)
    @prepared[name] ||= @postgres.prepare(name.hash.to_s, @statements.fetch(name)) && name.hash.to_s
    @postgres.exec_prepared(@prepared[name], [text]).values.map(&:first)
  rescue PG::ServerError => error
    error.result.error_field(PG::PG_DIAG_SQLSTATE)
  end
end
