# frozen_string_literal: true

module Trunkline
  # The statistics of several clients at one moment, ready for JSON.
  module Snapshot # :nodoc:
    # Statements of each client: those with the most server time. A terminal shows as many.
    MOST_STATEMENTS = 50
    private_constant :MOST_STATEMENTS

    # @param clients [Array<Postgres::Client, Memcached::Client>]
    # @return [Hash{Symbol => Object}] pid; at: seconds on a clock of this machine; clients: an Array of their statistics
    def self.take(clients)
      { pid: Process.pid, at: Process.clock_gettime(Process::CLOCK_MONOTONIC), clients: clients.flat_map { |client| figures(client) } }
    end

    # @raise [ArgumentError] one of them is not a client
    def self.check(clients)
      strangers = clients.reject { |client| client.respond_to?(:client_stats) || client.is_a?(Postgres::Client) }
      return if strangers.empty? && clients.any?

      raise ArgumentError, "clients are needed, and #{strangers.empty? ? "there is none" : "these are none: #{strangers.map(&:class).join(", ")}"}"
    end

    def self.figures(client)
      return client.client_stats.map { |server, stats| { server: server, **stats } } unless client.is_a?(Postgres::Client)

      stats = client.stats
      statements = stats[:statements].max_by(MOST_STATEMENTS) { |_, statement| statement[:count] * statement[:mean] }
      [{ **stats, statements: statements.map { |sql, statement| { sql: sql, **statement } } }]
    end
    private_class_method :figures
  end
  private_constant :Snapshot
end
