# frozen_string_literal: true

# The command that runs files of another project's tests by Minitest or by RSpec.
module SuiteCommand
  # RSpec of the bundle; its folder of programs need not be on the PATH.
  RSPEC = 'load Gem.bin_path("rspec-core", "rspec")'
  private_constant :RSPEC

  module_function

  # @param framework [String] "minitest", whose {SuiteJournal} the Ruby has to require, or "rspec"
  # @param ruby [Array<String>] a Ruby and its options
  # @param files [Array<String>] paths in the folder in which it runs
  # @param seed [Integer] of the tests' order
  # @param arguments [Array<String>] more of RSpec's
  # @return [Array<String>]
  def of(framework, ruby, files, seed:, arguments: [])
    return [*ruby, *files.map { |file| "-r./#{file}" }, "-e", "", "--", "--seed", seed.to_s] unless framework == "rspec"

    [*ruby, "-e", RSPEC, "--", "-r", "#{__dir__}/spec_journal.rb", "--format", "SpecJournal", "--seed", seed.to_s, *arguments, *files]
  end
end
