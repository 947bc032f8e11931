# frozen_string_literal: true

require "sentry-ruby"
require "sentry-rails"

# The spans of its transactions.
module Probe
  module_function

  def configure(config)
    config.before_eager_load do
      Sentry.init do |settings|
        settings.dsn = "http://12345@sentry.localdomain/1"
        settings.sdk_logger = Logger.new(nil)
        settings.transport.transport_class = Sentry::DummyTransport
        settings.traces_sample_rate = 1.0
        settings.background_worker_threads = 0
        settings.before_send_transaction = ->(event, _) { KEPT << event }
      end
    end
  end

  KEPT = []

  def watch
    KEPT.clear
    transaction = Sentry.start_transaction(name: "library", op: "test")
    Sentry.get_current_scope.set_span(transaction)
    yield
    transaction.finish
    KEPT.flat_map { |event| event.spans.map { |span| [span[:op], span[:description], span[:data].slice("db.system", "db.name", "server.address", "server.port")].join(" ") } }.grep(/\Adb/)
  end
end
