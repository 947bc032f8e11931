# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "yaml"
require_relative "../../../../bench/support/servers/postgres_server"

# A server with the databases of ActiveRecord's own tests, and some files of tests after others on it.
class ActiveRecordSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  TIMEOUT = 1200 # seconds, of one process
  DATABASES = %w[activerecord_unittest activerecord_unittest2].freeze
  SUMMARY = /(\d+) runs, (\d+) assertions, (\d+) failures, (\d+) errors, (\d+) skips/
  REQUIRE = "ARGV.take_while { |name| name != '--seed' }.each { |file| require file }"
  private_constant :HOUSE, :TIMEOUT, :DATABASES, :SUMMARY, :REQUIRE

  # @return [String] its version
  def self.postgres = IO.popen([Trunkline::Bench::PostgresBinaries.path("postgres"), "--version"], &:read)[/[\d.]+/]

  # @param folder [String] of Rails' source
  # @param adapter [String] "trunkline" or "postgresql"
  # @param seed [Integer] of the tests' order
  def initialize(folder, adapter, seed)
    @folder = File.join(folder, "activerecord")
    @adapter = adapter
    @seed = seed
    @scratch = Dir.mktmpdir
    @server = Trunkline::Bench::PostgresServer.start
    DATABASES.each { |name| @server.psql("CREATE DATABASE #{name}") }
    File.write(config_file, YAML.dump(config))
  end

  # @param files [Array<String>] below test/cases
  # @return [Array(String, Array<Integer>)] what they wrote, and the numbers of their summary where there is one
  def run(files)
    log = File.join(@scratch, "log")
    pid = Process.spawn(environment, *command(files), chdir: @folder, %i[out err] => log, pgroup: true, unsetenv_others: true)
    waited(pid)
    output = File.read(log, encoding: "UTF-8").scrub
    [output, output.scan(SUMMARY).last&.map(&:to_i)]
  end

  def stop
    @server.stop
    FileUtils.rm_rf(@scratch)
  end

  private

  def waited(pid)
    child = Process.detach(pid)
    child.join(TIMEOUT)
    Process.kill(:KILL, -pid)
    child.join
  rescue Errno::ESRCH, Errno::EPERM
    nil
  end

  def config
    access = { "host" => @server.socket_directory, "port" => @server.port, "username" => "postgres" }
    arunit = { **access, "database" => DATABASES.first, "min_messages" => "warning" }
    { "default_connection" => @adapter, "connections" => { @adapter => {
      "arunit" => arunit, "arunit_without_prepared_statements" => { **arunit, "prepared_statements" => false },
      "arunit2" => { **access, "database" => DATABASES.last, "min_messages" => "warning" }
    } } }
  end

  def config_file = File.join(@scratch, "config.yml")

  def environment
    { **Bundler.unbundled_env, "ARCONFIG" => config_file, "ARCONN" => @adapter, "MT_NO_PLUGINS" => "1",
      "BUNDLE_GEMFILE" => File.join(__dir__, "Gemfile"), "BUNDLE_PATH" => Bundler.bundle_path.join("../..").to_s }
  end

  def command(files)
    ["bundle", "exec", RbConfig.ruby, "-I#{HOUSE}/lib", "-Itest", "-r#{__dir__}/boot", "-e", REQUIRE,
     *files.map { |file| "./test/cases/#{file}" }, "--seed", @seed.to_s]
  end
end
