# frozen_string_literal: true

require "tmpdir"
require_relative "../suites/exclusions"
require_relative "../suites/report"
require_relative "../suites/suite_process"

# Dalli's own tests of its behaviour with servers, on this client under its name.
class DalliSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  private_constant :HOUSE

  # @return [Hash{String => String}] reasons by "Suite#test" of those that cannot pass
  def self.excluded = Exclusions.load(File.join(__dir__, "excluded.yml"))

  # @param dalli [String] the folder of Dalli's source
  # @param seed [Integer] of the tests' order
  # @raise [ArgumentError] it has no tests
  def initialize(dalli, seed: 1)
    @folder = dalli
    @seed = seed
    @files = Dir["test/integration/test_*.rb", base: dalli].sort
    raise ArgumentError, "there are no such tests in #{dalli}" if @files.empty?
  end

  # @param left_out [Array<String>] names of tests that do not run
  # @return [SuiteReport]
  def run(left_out: [])
    Dir.mktmpdir do |scratch|
      result = SuiteProcess.new(command, folder: @folder, scratch: scratch, left_out: left_out).run
      SuiteReport.new({}).tap { |report| report.add(@files, *result) }
    end
  end

  private

  def command
    [RbConfig.ruby, "-I#{HOUSE}/lib", "-r#{__dir__}/boot", *@files.map { |file| "-r./#{file}" }, "-e", "", "--", "--seed", @seed.to_s]
  end
end
