# frozen_string_literal: true

require "fileutils"
require "json"
require "tmpdir"
require "yaml"
require_relative "../../../../bench/support/servers/postgres_server"

# A private server, and some files of ActiveRecord's own tests after others on it, in a process each time. That finds databases and a
# folder as new: what tests leave behind there meets no others.
class ActiveRecordSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  DATABASES = %w[activerecord_unittest activerecord_unittest2].freeze
  LIBRARIES = %w[activerecord activemodel activesupport].freeze
  KEPT = /\A(PATH|HOME|LD_LIBRARY_PATH|(GEM|BUNDLE|BUNDLER|RUBY)_?[A-Z_]*)\z/ # what a Ruby and its gems are found by
  REQUIRE = "ARGV.take_while { |name| name != '--seed' }.each { |file| require file }"
  private_constant :HOUSE, :DATABASES, :LIBRARIES, :KEPT, :REQUIRE

  # @return [String] its version
  def self.postgres = IO.popen([Trunkline::Bench::PostgresBinaries.path("postgres"), "--version"], &:read)[/[\d.]+/]

  # @param rails [String] the folder of Rails' source
  # @param adapter [String] "trunkline" or "postgresql"
  # @param seed [Integer] of the tests' order
  # @param patience [Numeric] seconds in which a process has to begin or end a test
  # @param left_out [Array<String>] names of tests that do not run, "Suite#test"
  def initialize(rails:, adapter:, seed:, patience:, left_out:)
    @rails = rails
    @adapter = adapter
    @seed = seed
    @patience = patience
    @left_out = left_out
    @server = Trunkline::Bench::PostgresServer.start
  end

  # @param files [Array<String>] below test/cases
  # @return [Array(String, Array<Hash>)] what they have printed, and the entries of their {Journal}
  def run(files)
    Dir.mktmpdir do |scratch|
      prepare(scratch)
      output, journal = %w[output journal].map { |name| File.join(scratch, name) }
      over = wait(start(scratch, journal, output, files), journal)
      entries = File.exist?(journal) ? File.readlines(journal).map { |line| JSON.parse(line, symbolize_names: true) } : []
      ["#{File.read(output, encoding: "UTF-8").scrub}#{"\nended after #{@patience} seconds without a word" unless over}", entries]
    end
  end

  def stop = @server.discard

  private

  def prepare(scratch)
    DATABASES.each { |name| @server.drop_database(name) && @server.psql("CREATE DATABASE #{name}") }
    File.write(File.join(scratch, "config.yml"), YAML.dump(config))
    FileUtils.cp_r(File.join(@rails, "activerecord"), scratch)
  end

  def start(scratch, journal, output, files)
    Process.spawn(environment(scratch, journal), *command(files), chdir: "#{scratch}/activerecord", %i[out err] => output, in: File::NULL,
                                                                  pgroup: true, unsetenv_others: true)
  end

  # On a busy machine all of it may take any time; a single test does not.
  # @return [Boolean] whether it has ended by itself; then, too, none of its children is left
  def wait(pid, journal)
    child = Process.detach(pid)
    written = heard = nil
    until child.join(1)
      size = File.size?(journal)
      written, heard = size, now if heard.nil? || size != written
      return false if now - heard > @patience
    end
    true
  ensure
    begin
      Process.kill(:KILL, -pid)
    rescue Errno::ESRCH, Errno::EPERM
      nil
    end
    child.join
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def config
    access = { "host" => @server.socket_directory, "port" => @server.port, "username" => "postgres", "min_messages" => "warning" }
    arunit = { **access, "database" => DATABASES.first }
    { "default_connection" => @adapter, "connections" => { @adapter => {
      "arunit" => arunit, "arunit_without_prepared_statements" => { **arunit, "prepared_statements" => false },
      "arunit2" => { **access, "database" => DATABASES.last }
    } } }
  end

  def environment(scratch, journal)
    { **ENV.select { |name, _| name.match?(KEPT) }, "LANG" => "C.UTF-8", "TZ" => "UTC", "TMPDIR" => scratch, "MT_NO_PLUGINS" => "1",
      "ARCONFIG" => File.join(scratch, "config.yml"), "ARCONN" => @adapter, "JOURNAL" => journal, "LEFT_OUT" => @left_out.join("\n") }
  end

  def command(files)
    libraries = ["#{HOUSE}/lib", *LIBRARIES.map { |name| File.join(@rails, name, "lib") }, "test"]
    [RbConfig.ruby, *libraries.map { |folder| "-I#{folder}" }, "-r#{__dir__}/boot", "-e", REQUIRE,
     *files.map { |file| "./test/cases/#{file}" }, "--seed", @seed.to_s]
  end
end
