# frozen_string_literal: true

# Makes `postgres://`, `postgresql://`, `adapter: "postgres"` and Sequel.postgres mean this library's adapter in the whole application:
#
#   gem "trunkline", require: "trunkline/sequel/postgres"
#
# TRUNKLINE_POSTGRESQL=stock in the environment reverts to Sequel's own. See guides/sequel.md.

require "sequel"
require_relative "../../sequel/adapters/trunkline"
require_relative "../config/stock_names"
require_relative "scheme"

Sequel::Trunkline.const_get(:Scheme).take_over if Trunkline.const_get(:StockNames).taken?
