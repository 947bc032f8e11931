# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/memory_load"

# Nothing grows with the number of queries. Here are 600,000, which find what keeps 50 bytes of each; `rake memory` asks ten million.
class MemoryTest < Trunkline::TestCase
  QUERIES = 600_000
  MIB = 1024 * 1024
  private_constant :QUERIES, :MIB

  def test_a_client_that_queries_for_long_does_not_grow
    command = [RbConfig.ruby, "-w", "-rbundler/setup", "-Ilib", "-Itest", "test/support/memory_load.rb"]
    output, status = Open3.capture2e({ "RUBYOPT" => nil }, *command, postgres_server.uri, QUERIES.to_s)
    assert_predicate status, :success?, output
  end

  def test_growth_of_either_kind_is_seen
    steady = [30, 38, 40, 44, 45, 44, 46, 45, 44, 45].map { |size| size * MIB }
    leaking = Array.new(10) { |part| (40 + (part * 4)) * MIB }
    assert_predicate MemoryLoad::Growth.new([60_000] * 10, steady), :none?
    refute_predicate MemoryLoad::Growth.new([60_000] * 10, leaking), :none?
    refute_predicate MemoryLoad::Growth.new(Array.new(10) { |part| part * 2_000 }, steady), :none?
  end
end
