# frozen_string_literal: true

# What ActiveRecord believes of its transactions beside what the server knows, at every step of a suite of tests. After each statement: whether one
# is open, by the state that the server has sent with the statement's end. After each test, over another connection: how many of its sessions
# are in a transaction. The server is this suite's alone.
module Agreement
  PATIENCE = 10 # seconds: a connection that was given up resets while the next statement runs elsewhere
  IN_TRANSACTION = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
  PLACE = { host: ENV.fetch("SERVER_HOST"), port: ENV.fetch("SERVER_PORT"), user: "postgres", dbname: "postgres" }.freeze
  private_constant :PATIENCE, :IN_TRANSACTION, :PLACE
  @differences = Queue.new
  @statements = 0
  @used = {}.compare_by_identity # by connection, the outermost transaction at its last statement

  class << self
    # @return [Integer] after how many statements both were compared
    attr_reader :statements

    # Begins to compare. ActiveRecord is loaded by then.
    def begin
      ActiveSupport::Notifications.subscribe("sql.active_record") { |event| after_statement(event.payload) }
    end

    # @return [Array<String>] how they differed since the last call
    def taken
      after_test
      Array.new(@differences.size) { @differences.pop }
    end

    private

    # ActiveRecord counts a transaction as open when the statement that opens it has returned, so that is not compared; nor is one that failed: it
    # may have lost its connection.
    def after_statement(payload)
      @used[payload[:connection]] = outermost(payload[:connection]) if payload[:connection] && !payload[:sql].start_with?("BEGIN")
      return if payload[:name] == "TRANSACTION" || payload[:cached] || payload[:exception] || !payload[:connection]

      believed, status = believed(payload[:connection]), status(payload[:connection])
      return if status.nil? || ending?(payload[:sql])

      @statements += 1
      known = status != PG::PQTRANS_IDLE
      @differences << "ActiveRecord has #{"no " unless believed}transaction open, the server has #{"none" unless known}#{"one" if known}, after #{payload[:sql]}" unless believed == known
    end

    # Transactions that a test begins and ends by itself are none of ActiveRecord's.
    def ending?(sql) = sql.match?(/\A\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|START|END|ABORT)\b/i)

    def believed(connection) = outermost(connection)&.materialized? || false

    def outermost(connection) = connection.instance_variable_get(:@transaction_manager).instance_variable_get(:@stack).first

    # @return [Integer, nil] nil: there is no connection now, or it is in use
    def status(connection)
      status = connection.instance_variable_get(:@raw_connection)&.transaction_status
      status unless [PG::PQTRANS_UNKNOWN, PG::PQTRANS_ACTIVE].include?(status)
    end

    def after_test
      deadline = now + PATIENCE
      until (open = connections.select { |connection| open?(connection) }).all? { |connection| believed(connection) } && open.size == (known = sessions)
        return @differences << "ActiveRecord has #{connections.count { |one| believed(one) }} transactions open, its connections #{open.size}, the server #{known}" if now > deadline

        Thread.pass
      end
    end

    def connections = ActiveRecord::Base.connection_handler.connection_pool_list(:all).flat_map(&:connections).select { |one| one.instance_variable_get(:@transaction_manager) }

    # This library sends BEGIN with the statement that follows it.
    def open?(connection)
      return false if [nil, PG::PQTRANS_IDLE].include?(status(connection))

      !connection.instance_variable_get(:@raw_connection).respond_to?(:pinned?) || @used[connection].equal?(outermost(connection))
    end

    def sessions = Integer(observer.exec(IN_TRANSACTION).getvalue(0, 0))

    # A connection of libpq's, in every mode.
    def observer = @observer ||= PG::Connection.new(PLACE)

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
