# frozen_string_literal: true

require "rbconfig"
require "tmpdir"
require_relative "../../../../bench/support/servers/postgres_server"
require_relative "../suites/exclusions"
require_relative "../suites/report"
require_relative "../suites/suite_process"

# pg's own specs, on this library under pg's name.
class PGSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  FILES = %w[connection_spec result_spec type_map_by_column_spec type_map_by_oid_spec exceptions_spec].map { |name| "spec/pg/#{name}.rb" }.freeze
  # What a Ruby of this project's bundle would hand down: its gems have a part of RSpec only.
  OUTSIDE = %w[RUBYOPT RUBYLIB BUNDLE_GEMFILE BUNDLE_PATH GEM_HOME GEM_PATH].to_h { |name| [name, nil] }.freeze
  private_constant :HOUSE, :FILES, :OUTSIDE

  # @return [Hash{String => String}] reasons by "file#what it says" of those that fail
  def self.excluded = Exclusions.load(File.join(__dir__, "excluded.yml"))

  # @param pg [String] the folder of pg's source
  # @param seed [Integer] of the specs' order
  # @raise [ArgumentError] it has no specs
  def initialize(pg, seed: 1)
    @folder = pg
    @seed = seed
    raise ArgumentError, "there are no such specs in #{pg}" unless FILES.all? { |file| File.exist?(File.join(pg, file)) }
  end

  # @param left_out [Array<String>] names of specs that may fail
  # @return [SuiteReport]
  def run(left_out: [])
    server = Trunkline::Bench::PostgresServer.start
    server.psql("CREATE DATABASE test")
    Dir.mktmpdir do |scratch|
      result = SuiteProcess.new(command, folder: @folder, scratch: scratch, environment: environment(server).merge("SERVER_FILES" => scratch)).run
      SuiteReport.new(PGSuite.excluded.slice(*left_out)).tap do |report|
        report.add(FILES, *result)
        report.left_out.concat(report.failed & left_out)
      end
    end
  ensure
    server&.stop
  end

  private

  def environment(server)
    { **OUTSIDE, "PGPORT" => server.port.to_s, "PGUSER" => "postgres", "USER" => "postgres", "SERVER_SOCKET" => server.socket_directory }
  end

  def command
    [RbConfig.ruby, "-W0", "-I#{HOUSE}/lib", "-S", "rspec", "-r", "#{__dir__}/boot.rb", "-r", File.expand_path("../suites/spec_journal.rb", __dir__), "--seed", @seed.to_s, "--format", "SpecJournal", *FILES]
  end
end
