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
      address, port, database = operation.server.match(%r{\A([^,]*?)(?::(\d+))?(?:/([^/]*))?\z})&.captures
      command = operation.kind == :command
      {
        "db.system.name" => command ? "memcached" : "postgresql", "db.namespace" => database, "db.operation.name" => name_of(operation),
        "db.query.text" => (WithoutValues.sql(operation.text) unless command), "server.address" => address || operation.server, "server.port" => port&.to_i
      }.compact
    end

    # @return [String] the first word of a statement; else its kind
    def self.name_of(operation)
      %i[query stream copy listen async].include?(operation.kind) ? operation.text[/[[:alpha:]]+/].to_s.upcase : operation.text && operation.kind == :command ? operation.text : operation.kind.name.upcase
    end
    private_class_method :name_of
  end
end
