# frozen_string_literal: true

require "rbconfig"
require "tmpdir"
require_relative "../../../../bench/support/servers/postgres_server"
require_relative "../suites/exclusions"
require_relative "../suites/report"
require_relative "../suites/suite_process"

# graphql-ruby's own specs of dataloaders and ActiveRecord, on one adapter.
class GraphQLSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  FILES = %w[
    graphql/dataloader/active_record_source_spec graphql/dataloader/active_record_association_source_spec
    integration/rails/graphql/dataloader_spec integration/rails/graphql/dataloader/async_dataloader_spec
  ].map { |name| "spec/#{name}.rb" }.freeze
  private_constant :HOUSE, :FILES

  # @return [Hash{String => String}] reasons by "Suite#test" of those that cannot pass on Trunkline's adapter
  def self.excluded = Exclusions.load(File.join(__dir__, "excluded.yml"))

  # @param graphql [String] the folder of graphql-ruby's source
  # @param adapter [String] ActiveRecord's name for it
  # @param seed [Integer] of the specs' order
  # @raise [ArgumentError] it has no such specs
  def initialize(graphql, adapter:, seed: 1)
    @folder = graphql
    @adapter = adapter
    @seed = seed
    raise ArgumentError, "there are no such specs in #{graphql}" unless FILES.all? { |file| File.exist?(File.join(graphql, file)) }
  end

  # @param left_out [Array<String>] names of specs that do not run
  # @return [SuiteReport]
  def run(left_out: [])
    server = Trunkline::Bench::PostgresServer.start
    Dir.mktmpdir do |scratch|
      result = SuiteProcess.new(command, folder: @folder, scratch: scratch, environment: environment(server), left_out: left_out).run
      SuiteReport.new({}).tap { |report| report.add(FILES, *result) }
    end
  ensure
    server&.stop
  end

  private

  def environment(server) = { "ADAPTER" => @adapter, "PGHOST" => server.socket_directory, "PGPORT" => server.port.to_s }

  def command
    [RbConfig.ruby, "-W0", "-I#{HOUSE}/lib", "-r#{__dir__}/boot", *FILES.map { |file| "-r./#{file}" }, "-e", "", "--", "--seed", @seed.to_s]
  end
end
