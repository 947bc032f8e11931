# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "yaml"
require_relative "../../../../bench/support/servers/postgres_server"
require_relative "../suites/suite_process"

# A private server, and some files of ActiveRecord's own tests after others on it, in a process each time. That finds databases and a
# folder as new: what tests leave behind there meets no others.
class ActiveRecordSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  DATABASES = %w[activerecord_unittest activerecord_unittest2].freeze
  LIBRARIES = %w[activerecord activemodel activesupport].freeze
  TOOLS = "tools" # that tests of Rails 8 load
  REQUIRE = "ARGV.take_while { |name| name != '--seed' }.each { |file| require file }"
  private_constant :HOUSE, :DATABASES, :LIBRARIES, :TOOLS, :REQUIRE

  # @return [String] its version
  def self.postgres = IO.popen([Trunkline::Bench::PostgresBinaries.path("postgres"), "--version"], &:read)[/[\d.]+/]

  # @param rails [String] the folder of Rails' source
  # @param adapter [String] "trunkline" or "postgresql"
  # @param seed [Integer] of the tests' order
  # @param patience [Numeric] seconds in which a process has to begin or end a test
  # @param left_out [Array<String>] names of tests that do not run, "Suite#test"
  # @param agreement [Boolean] whether ActiveRecord and the server are compared at every step: see {Agreement}
  def initialize(rails:, adapter:, seed:, patience:, left_out:, agreement:)
    @rails = rails
    @adapter = adapter
    @seed = seed
    @patience = patience
    @left_out = left_out
    @agreement = agreement
    @server = Trunkline::Bench::PostgresServer.start
  end

  # @param files [Array<String>] below test/cases
  # @return [Array(String, Array<Hash>)] what they have printed, and the entries of their {SuiteJournal}
  def run(files)
    Dir.mktmpdir do |scratch|
      prepare(scratch)
      SuiteProcess.new(command(files), folder: "#{scratch}/activerecord", scratch: scratch, environment: environment(scratch),
                                       left_out: @left_out, patience: @patience).run
    end
  end

  def stop = @server.discard

  private

  def prepare(scratch)
    DATABASES.each { |name| @server.drop_database(name) && @server.psql("CREATE DATABASE #{name}") }
    File.write(File.join(scratch, "config.yml"), YAML.dump(config))
    FileUtils.cp_r(File.join(@rails, "activerecord"), scratch)
    FileUtils.cp_r(File.join(@rails, TOOLS), scratch) if File.directory?(File.join(@rails, TOOLS))
  end

  def config
    access = { "host" => @server.socket_directory, "port" => @server.port, "username" => "postgres", "min_messages" => "warning" }
    arunit = { **access, "database" => DATABASES.first }
    { "default_connection" => @adapter, "connections" => { @adapter => {
      "arunit" => arunit, "arunit_without_prepared_statements" => { **arunit, "prepared_statements" => false },
      "arunit2" => { **access, "database" => DATABASES.last }
    } } }
  end

  def environment(scratch)
    compared = { "AGREEMENT" => "1", "SERVER_HOST" => @server.socket_directory, "SERVER_PORT" => @server.port.to_s }
    { "ARCONFIG" => File.join(scratch, "config.yml"), "ARCONN" => @adapter, **(@agreement ? compared : {}) }
  end

  def command(files)
    libraries = ["#{HOUSE}/lib", *LIBRARIES.map { |name| File.join(@rails, name, "lib") }, "test"]
    [RbConfig.ruby, *libraries.map { |folder| "-I#{folder}" }, "-r#{__dir__}/boot", "-e", REQUIRE,
     *files.map { |file| "./test/cases/#{file}" }, "--seed", @seed.to_s]
  end
end
