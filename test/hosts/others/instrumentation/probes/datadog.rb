# frozen_string_literal: true

require "datadog"

# The spans of PG::Connection's methods and of ActiveRecord.
module Probe
  # Keeps them.
  module Keeper
    @spans = []
    class << self
      attr_reader :spans

      def write(trace) = @spans.concat(trace.spans)
      def stop = true
    end
  end

  module_function

  def configure(_config)
    Datadog.logger.level = Logger::FATAL
    Datadog.configure do |settings|
      settings.telemetry.enabled = false
      settings.remote.enabled = false
      settings.crashtracking.enabled = false
      settings.tracing.writer = Keeper
      settings.tracing.instrument :pg
      settings.tracing.instrument :active_record
    end
  end

  def watch
    Keeper.spans.clear
    yield
    Keeper.spans.sort_by(&:start_time).map do |span|
      [span.name, span.resource, span.service, *%w[db.row_count db.instance db.user out.host active_record.db.vendor active_record.instantiation.class_name].filter_map { |tag| value = span.get_tag(tag) || span.get_metric(tag) and "#{tag}=#{value}" },
       *("error=#{span.get_tag("error.type")}" if span.status == 1)].join(" ")
    end
  end
end
