# frozen_string_literal: true

require_relative "connection"
require_relative "pool"

module Trunkline
  # Connections and results with the names of the pg gem, without that gem: see guides/coming-from.md.
  module PG
    # @return [Connection, Object] as {Connection.connect}
    # @raise [ConnectionBad] as {Connection.connect}
    def self.connect(...) = Connection.connect(...)
  end
end
