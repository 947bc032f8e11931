# frozen_string_literal: true

require_relative "gated"
require_relative "schedulers/hosts"

# Two hundred callers under Async that send queries over one connection all the time, whatever else is done with it. The test includes Hosts::Async.
module Neighbourhood
  include Gated

  NEIGHBOURS = 200

  # @param options [Hash] keywords of Trunkline.postgres
  # @yieldparam db [Trunkline::Postgres::Client]
  # @return what the block returns
  def amid_neighbours(connections: 1, **options)
    in_host_with_client(connections: connections, max_connections: connections + 1, **options) do |db|
      going = true
      neighbours = Array.new(NEIGHBOURS) { |number| later { ask_on(db, number) { going } } }
      yield(db).tap do
        going = false
        assert_equal [true], neighbours.map(&:value).uniq
      end
    end
  end
end
