# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

# What the demo prints first: its result, and what it compares.
class DemoTest < Trunkline::TestCase
  ROOT = File.expand_path("../..", __dir__)
  RESULT = /\A1000 fibers over 4 connections: \d+\.\d times the queries of 16 threads over 16, for 1\/\d+\.\d of the client's processor time a query\.\n/.freeze
  MEANING = /\ABlocking: one caller sends a query .*, waits for the answer, .*Non-blocking: fibers of one thread .*\n/.freeze
  private_constant :ROOT, :RESULT, :MEANING

  def test_it_begins_with_its_result
    output, errors, status = Open3.capture3(RbConfig.ruby, "-Ilib", "bench/demo.rb", "1", "1", "--runs", "1", chdir: ROOT)
    assert_predicate status, :success?, errors
    assert_match RESULT, output
    assert_match MEANING, output.lines[1].to_s
  end
end
