# frozen_string_literal: true

require "tmpdir"
require_relative "../../../../bench/support/servers/memcached_server"
require_relative "../suites/exclusions"
require_relative "../suites/report"
require_relative "../suites/suite_process"

# Rails' own tests of :mem_cache_store, those of all cache stores included, on :trunkline_store.
class RailsCacheStoreSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  TESTS = "test/cache/stores/mem_cache_store_test.rb"
  private_constant :HOUSE, :TESTS

  # @return [Hash{String => String}] reasons by "Suite#test" of those that cannot pass
  def self.excluded = Exclusions.load(File.join(__dir__, "excluded.yml"))

  # @param rails [String] the folder of Rails' source
  # @param seed [Integer] of the tests' order
  def initialize(rails, seed: 1)
    @folder = File.join(rails, "activesupport")
    @seed = seed
  end

  # @param left_out [Array<String>] names of tests that do not run
  # @return [SuiteReport]
  def run(left_out: [])
    server = Trunkline::Bench::MemcachedServer.start
    Dir.mktmpdir do |scratch|
      result = SuiteProcess.new(command, folder: @folder, scratch: scratch, environment: { "MEMCACHE_SERVERS" => server.address }, left_out: left_out).run
      SuiteReport.new({}).tap { |report| report.add([TESTS], *result) }
    end
  ensure
    server&.stop
  end

  private

  def command
    [RbConfig.ruby, "-I#{HOUSE}/lib", "-I#{@folder}/lib", "-I#{@folder}/test", "-r#{__dir__}/boot", "-r./#{TESTS}", "-r#{__dir__}/instead", "-e", "",
     "--", "--seed", @seed.to_s]
  end
end
