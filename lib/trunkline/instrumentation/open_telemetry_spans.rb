# frozen_string_literal: true

require "opentelemetry"
require_relative "../errors"
require_relative "../operation"

module Trunkline
  # A middleware that makes a span for each call, with the names of OpenTelemetry's semantic conventions for databases. Spans of queries in a
  # transaction are its children. Literals of the SQL and parameters are omitted.
  #
  #   db.use(Trunkline::OpenTelemetrySpans)
  module OpenTelemetrySpans
    # Kinds of operations that are named by the first word of their statement.
    STATEMENTS = %i[query stream copy listen async].freeze
    # Characters that are searched for it, behind comments: a bound on the work, not tuned.
    BEGINNING = 10_000
    # Parts of an operation's server.
    SERVERS = { postgresql: %r{\A(?<address>[^,]+?):(?<port>\d+)/(?<database>.*)\z}m, memcached: /\A(?<address>.+?)(?::(?<port>\d+))?(?<database>)\z/m }.freeze
    private_constant :STATEMENTS, :BEGINNING, :SERVERS

    # @param operation [Operation]
    def operation(operation) # :nodoc:
      attributes = OpenTelemetrySpans.attributes(operation)
      name = [attributes["db.operation.name"], attributes["db.namespace"]].compact.join(" ")
      OpenTelemetrySpans.tracer.in_span(name, attributes: attributes, kind: :client) do |span|
        super
      rescue Error => error
        { "error.type" => error.class.name, "db.response.status_code" => error.sqlstate }.compact.each { |key, value| span.set_attribute(key, value) }
        raise
      ensure
        span.set_attribute("db.response.returned_rows", operation.rows) if operation.rows
      end
    end

    # @return [OpenTelemetry::Trace::Tracer] of the currently configured provider
    def self.tracer = ::OpenTelemetry.tracer_provider.tracer("trunkline", VERSION) # :nodoc:

    # @param operation [Operation]
    # @return [Hash{String => Object}]
    def self.attributes(operation) # :nodoc:
      address, port, database = SERVERS.fetch(operation.system).match(operation.server)&.captures
      {
        "db.system.name" => operation.system.name, "db.namespace" => (database unless database.to_s.empty?), "db.operation.name" => name_of(operation),
        "db.query.text" => (WithoutValues.sql(operation.text) unless operation.kind == :command),
        "server.address" => address&.delete_prefix("[")&.delete_suffix("]") || operation.server, "server.port" => port&.to_i
      }.compact
    end

    # @return [String] the first word of a statement, after comments, in which each call may have another one; else its kind
    def self.name_of(operation)
      return operation.text if operation.kind == :command && operation.text

      statement = Postgres.const_get(:Comments).remove(operation.text[0, BEGINNING]) if STATEMENTS.include?(operation.kind)
      (statement&.[](/[[:alpha:]]+/) || operation.kind.name).upcase
    end
    private_class_method :name_of
  end
end
