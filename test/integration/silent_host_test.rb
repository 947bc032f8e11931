# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"
require "support/each_host"
require "support/silent_server"

module Trunkline
  # The first of two hosts swallows every packet; the second one is a real server.
  module SilentHost
    include DatabaseHelpers
    include SilentServer

    def test_calls_with_a_deadline_reach_the_second_host
      beside_a_silent_host do |uri|
        in_host do
          Trunkline.postgres(uri, connections: 2) do |db|
            assert_equal [1] * 8, side_by_side(1..8) { db.value("SELECT 1", deadline: 60) }
            assert_equal 1, db.transaction { |tx| tx.value("SELECT 1") }
          end
        end
      end
    end

    # Each caller has less time than it takes to find out that the first host is silent. On a slow machine the second one needs more than 0.1 s to log in.
    def test_deadlines_that_are_shorter_than_the_search
      beside_a_silent_host do |uri|
        in_host do
          Trunkline.postgres(uri, connections: 1) do |db|
            outcomes = []
            until outcomes.last == 1
              outcomes << begin
                db.value("SELECT 1", deadline: [0.1 + (outcomes.size * 0.005), 0.6].min)
              rescue Deadline => error
                error
              end
            end
            assert_operator outcomes.size, :>, 1
          end
        end
      end
    end

    private

    def beside_a_silent_host
      uri = postgres_server.tcp_uri
      silent_server { |hole| yield uri.sub("127.0.0.1:", "127.0.0.1:#{hole.ip_port},127.0.0.1:") }
    end
  end

  class SilentHostTest < TestCase
    extend EachHost
    in_hosts SilentHost
    in_hostile_hosts SilentHost, hostilities: HOSTILITIES.slice(:Everything)
  end
end
