# frozen_string_literal: true

# graphql-ruby's own specs of dataloaders and ActiveRecord, on the stock adapter and then on ours: rake "hosts:graphql[/path/of/graphql-ruby]"
#
# The folder is that of a checkout of graphql-ruby, whose own library is what runs: v2.5.14 on Ruby 3.1. graphql/excluded.yml has what is left out,
# and why. What fails on the stock adapter is told, and counts for nothing. SEED=1 is the specs' order.

require_relative "graphql/suite"
require_relative "suites/outcome"

suites = %w[postgresql trunkline].map { |adapter| GraphQLSuite.new(ENV.fetch("GRAPHQL"), adapter: adapter, seed: Integer(ENV.fetch("SEED", "1"))) }
stock = suites.first.run
puts "the stock adapter: #{stock.totals}", stock.failed, "on this library:"
SuiteOutcome.tell(suites.last, GraphQLSuite.excluded.keys)
