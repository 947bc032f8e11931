# frozen_string_literal: true

require "test_helper"
require "async"
require "opentelemetry/sdk"

# OpenTelemetry's spans of queries that go side by side over few connections.
class TracingTest < Trunkline::TestCase
  # The provider is this test's own: the process's is left to other tests.
  module Tracing
    EXPORTER = OpenTelemetry::SDK::Trace::Export::InMemorySpanExporter.new
    PROVIDER = OpenTelemetry::SDK::Trace::TracerProvider.new
    PROVIDER.add_span_processor(OpenTelemetry::SDK::Trace::Export::SimpleSpanProcessor.new(EXPORTER))
    TRACER = PROVIDER.tracer("test")

    def query(sql, _parameters, _server) = TRACER.in_span(sql, kind: :client) { super }
    def transaction(_options, _server) = TRACER.in_span("transaction", kind: :client) { super }
  end

  def setup
    super
    Tracing::EXPORTER.reset
  end

  def test_each_query_is_a_child_of_its_own_transaction
    with_client(middlewares: [Tracing]) do |db|
      Sync do |task|
        8.times.map { |number| task.async { db.transaction { |tx| tx.value("SELECT #{number}") } } }.each(&:wait)
      end
    end
    queries, transactions = spans.partition { |span| span.name != "transaction" }
    assert_equal [8, 8], [queries.size, transactions.size]
    assert_equal transactions.map(&:span_id).sort, queries.map(&:parent_span_id).sort
    assert_equal 8, spans.map(&:trace_id).uniq.size
  end

  def test_what_is_raised_is_in_the_span
    with_client(middlewares: [Tracing]) do |db|
      assert_raises(Trunkline::UndefinedTable) { db.query("SELECT FROM nowhere") }
    end
    assert_equal ["Trunkline::UndefinedTable"], spans.first.events.map { |event| event.attributes["exception.type"] }
  end

  private

  def spans = Tracing::EXPORTER.finished_spans
end
