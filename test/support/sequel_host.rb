# frozen_string_literal: true

require "sequel"
ENV["NO_SEQUEL_PG"] = "1" # others are compared with Sequel alone
require "sequel/adapters/postgres"
require "sequel/adapters/trunkline"
Sequel::Deprecation.output = nil # warnings about DateTime, which Sequel still supports
require_relative "database_helpers"

module Trunkline
  # Sequel on the shared server, with this library's adapter and with its own.
  module SequelHost
    include DatabaseHelpers

    # A database over this client, disconnected after the block.
    #
    # @param options [Hash] Sequel's
    # @yieldparam db [Sequel::Trunkline::Database]
    def with_sequel(adapter = "trunkline", **options)
      db = Sequel.connect(postgres_server.uri.sub(/\A\w+:/, "#{adapter}:"), keep_reference: false, **options)
      yield db
    ensure
      db&.disconnect
      db.client.close if db.respond_to?(:client)
    end

    # The same with Sequel's own adapter.
    def with_stock(**options, &block) = with_sequel("postgres", **options, &block)

    # A table for the block.
    #
    # @yieldparam name [Symbol]
    def with_columns(columns) = with_table(columns) { |name| yield name.to_sym }
  end
end
