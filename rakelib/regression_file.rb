# frozen_string_literal: true

require "timeout"
require "trunkline"
require_relative "regression_caller"
require_relative "regression_oracle"
require_relative "regression_session"

# One file of the regression tests, session by session, on a server for Trunkline and another one for the pg gem.
class RegressionFile
  SUPERUSER = "postgres"
  LIMIT = 600 # seconds for all; the longest file takes a hundred
  private_constant :SUPERUSER, :LIMIT

  # @return [String]
  attr_reader :name

  # @return [Integer] statements; those among them that the server has executed to their end
  attr_reader :statements, :succeeded

  # @return [Array<String>] how a session or all has ended but by its last statement
  attr_reader :broken

  # @param name [String]
  # @param steps [Array<PsqlScript::Step>]
  # @param trunkline [Trunkline::Bench::PostgresServer]
  # @param postgres [Trunkline::Bench::PostgresServer] for the pg gem
  # @param parameters [Boolean] whether string literals are given as parameters
  def initialize(name, steps, trunkline:, postgres:, parameters: false)
    @name = name
    @steps = steps.dup
    @trunkline = trunkline
    @postgres = postgres
    @parameters = parameters
    @statements = @succeeded = 0
    @pairs = []
    @broken = []
  end

  # @return [RegressionFile] self, when its statements are compared
  def run
    Timeout.timeout(LIMIT) do
      Trunkline.postgres(@trunkline.uri, connections: 2, max_connections: 5) { |db| sessions(db) }
    end
    self
  rescue Timeout::Error, Trunkline::Error => error
    broke(error)
  end

  # @return [Array<RegressionDifference>]
  def differences = @pairs.flat_map(&:differences)

  # @return [Integer] requests that Trunkline has refused and said so
  def refused = @pairs.sum(&:refused)

  private

  def sessions(db)
    oracle = RegressionOracle.new(@postgres.uri)
    shared = pair(RegressionCaller.new(db, apart: true), oracle, apart: true)
    session(db, shared) until @steps.empty?
  ensure
    oracle&.close
  end

  # Steps up to the next that connects.
  def session(db, shared)
    oracle, role = connect(@steps.first.kind == :connect ? @steps.shift.text : SUPERUSER)
    in_session(db, role) do |session|
      steps = RegressionSession.new(pair(RegressionCaller.new(session), oracle), shared, parameters: @parameters)
      perform(steps, @steps.shift) until @steps.empty? || @steps.first.kind == :connect
    end
  rescue Trunkline::Error => error
    broke(error)
  ensure
    oracle&.close
  end

  # As the superuser where the role may not connect.
  def connect(role)
    [RegressionOracle.new(@postgres.uri(user: role || SUPERUSER)), role || SUPERUSER]
  rescue PG::Error
    [RegressionOracle.new(@postgres.uri), SUPERUSER]
  end

  def in_session(db, role, &block)
    return db.session(&block) if role == SUPERUSER

    Trunkline.postgres(@trunkline.uri(user: role), connections: 1) { |other| other.session(&block) }
  end

  def pair(...) = RegressionPair.new(@name, ...).tap { |pair| @pairs << pair }

  def perform(session, step)
    @statements += 1
    @succeeded += 1 if session.perform(step)
  end

  def broke(error)
    @broken << "#{@name}: #{error.full_message(highlight: false)}"
    self
  end
end
