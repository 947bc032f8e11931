# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "support/active_record_host"
require "support/sequel_host"

# Where the adapters write: to the logs of their own libraries.
class AdapterLogsTest < Trunkline::TestCase
  include Trunkline::ActiveRecordHost
  include Trunkline::SequelHost

  # Keeps the statements that the hook is told of.
  module Statements
    LIST = []

    def operation(operation)
      LIST << operation.text if operation.text
      super
    end
  end

  def test_active_record_tells_its_own_subscribers_what_the_stock_adapter_does
    connect_stock
    told = [ours, stock].map do |connection|
      connection.select_value("SELECT 1")
      events_of { connection.transaction { connection.exec_query("SELECT generate_series(1, 3)", "Numbers") } }
    end
    assert_equal told.last, told.first
    assert_includes told.first.map(&:last), "SELECT generate_series(1, 3)"
  end

  def test_sequel_writes_to_its_own_loggers_and_its_client_takes_middlewares
    out = StringIO.new
    with_sequel(logger: Logger.new(out)) do |db|
      Statements::LIST.clear
      db.client.use(Statements)
      db.transaction { db.fetch("SELECT 2 AS two").all }
    end
    assert_match(/BEGIN.*SELECT 2 AS two.*COMMIT/m, out.string)
    assert_equal ["BEGIN", "SELECT 2 AS two", "COMMIT"], Statements::LIST
  end

  private

  # @return [Array] name and SQL of each
  def events_of(&block)
    events = []
    ActiveSupport::Notifications.subscribed(->(event) { events << event.payload.values_at(:name, :sql) }, "sql.active_record", &block)
    events
  end
end
