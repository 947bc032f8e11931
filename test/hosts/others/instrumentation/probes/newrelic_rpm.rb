# frozen_string_literal: true

ENV.update("NEW_RELIC_MONITOR_MODE" => "false", "NEW_RELIC_APP_NAME" => "library", "NEW_RELIC_LOG" => "/dev/null", "NEW_RELIC_AGENT_ENABLED" => "true")
require "newrelic_rpm"

# Its metrics of statements and operations with the number of calls of each, and the names of the others, which are sums.
module Probe
  NAMES = %w[Datastore ActiveRecord Ruby/ActiveRecord].freeze

  module_function

  def watch
    NewRelic::Agent.instance.stats_engine.reset!
    NewRelic::Agent::Tracer.in_transaction(name: "Controller/library", category: :web) { yield }
    metrics = NewRelic::Agent.instance.stats_engine.to_h.select { |spec, _| spec.scope.to_s.empty? && spec.name.start_with?(*NAMES) }
    metrics.map { |spec, stats| spec.name.match?(%r{\ADatastore/(statement|operation)/}) ? "#{spec.name} #{stats.call_count}" : spec.name }.sort
  end
end
