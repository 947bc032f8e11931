# frozen_string_literal: true

require "rack-mini-profiler"

# The statements of a page, by its events.
module Probe
  module_function

  def configure(config)
    config.after_initialize { Rack::MiniProfiler.config.storage = Rack::MiniProfiler::MemoryStore }
  end

  def watch
    answer = yield
    ids = JSON.parse(answer.headers.fetch("X-MiniProfiler-Ids") { answer.headers.fetch("x-miniprofiler-ids") }.then { |text| text.start_with?("[") ? text : JSON.generate(text.split(",")) })
    statements(Rack::MiniProfiler.config.storage_instance.load(ids.first)[:root])
  end

  def statements(timer) = [*timer[:sql_timings].map { |timing| timing[:formatted_command_string].squish }, *timer[:children].flat_map { |child| statements(child) }]
end
