# frozen_string_literal: true

# Makes `adapter: postgresql`, and DATABASE_URL=postgres://, mean this library's adapter in the whole application:
#
#   gem "trunkline", require: "trunkline/postgresql"
#
# TRUNKLINE_POSTGRESQL=stock in the environment reverts to ActiveRecord's own. See guides/rails.md.

require "active_support"
require_relative "../trunkline"
require_relative "active_record/registration"

Trunkline::ActiveRecord.const_get(:Registration).take_over
