# frozen_string_literal: true

require "opentelemetry/sdk"
require "opentelemetry-instrumentation-pg"
require "opentelemetry-instrumentation-active_record"

# The spans of PG::Connection's methods and of ActiveRecord.
module Probe
  EXPORTER = OpenTelemetry::SDK::Trace::Export::InMemorySpanExporter.new

  module_function

  def configure(config)
    OpenTelemetry.logger = Logger.new(nil)
    config.after_initialize do
      OpenTelemetry::SDK.configure do |settings|
        settings.add_span_processor(OpenTelemetry::SDK::Trace::Export::SimpleSpanProcessor.new(EXPORTER))
        settings.use "OpenTelemetry::Instrumentation::PG", db_statement: :include
        settings.use "OpenTelemetry::Instrumentation::ActiveRecord"
      end
    end
  end

  def watch
    EXPORTER.reset
    yield
    EXPORTER.finished_spans.sort_by(&:start_timestamp).map do |span|
      [span.name, span.kind, *span.attributes.to_h.sort.map { |name, value| "#{name}=#{value}" }, ("error" if span.status.code == OpenTelemetry::Trace::Status::ERROR)].compact.join(" ")
    end
  end
end
