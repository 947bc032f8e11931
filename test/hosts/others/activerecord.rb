# frozen_string_literal: true

# ActiveRecord's own tests, on ours or on the stock adapter: rake hosts:activerecord, or "hosts:activerecord[/path/of/rails]"
#
# The folder is that of an unpacked source of the Rails whose activerecord is in the bundle; the source package of rails in Debian
# trixie has it, and is fetched without one. Some files at a time run in a process of their own, on a private server. At the end it tells what failed and is not
# excluded; excluded.yml has the reasons.
#
#   ARCONN=postgresql                       the stock adapter instead, with no test excluded
#   FILES=base_test,adapters/postgresql     those files and folders of test/cases alone
#   JOBS=2                                  processes at once; each has a server of its own
#   BATCH=1                                 files that one process runs

require "fileutils"
require "tmpdir"
require "yaml"
require_relative "../../../bench/support/servers/postgres_server"

# One server with the databases of these tests, and some files of tests after others on it.
class ActiveRecordSuite
  EXTRA = File.join(__dir__, "activerecord")
  HOUSE = File.expand_path("../../..", __dir__)
  TIMEOUT = 1200 # seconds, of one process
  DATABASES = %w[activerecord_unittest activerecord_unittest2].freeze
  SUMMARY = /(\d+) runs, (\d+) assertions, (\d+) failures, (\d+) errors, (\d+) skips/

  def initialize(folder, connection)
    @folder = File.join(folder, "activerecord")
    @connection = connection
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
    { "default_connection" => @connection, "connections" => { @connection => {
      "arunit" => arunit, "arunit_without_prepared_statements" => { **arunit, "prepared_statements" => false },
      "arunit2" => { **access, "database" => DATABASES.last, "min_messages" => "warning" }
    } } }
  end

  def config_file = File.join(@scratch, "config.yml")

  def environment
    { **Bundler.unbundled_env, "ARCONFIG" => config_file, "ARCONN" => @connection, "MT_NO_PLUGINS" => "1",
      "BUNDLE_GEMFILE" => File.join(EXTRA, "Gemfile"), "BUNDLE_PATH" => Bundler.bundle_path.join("../..").to_s }
  end

  def command(files)
    ["bundle", "exec", RbConfig.ruby, "-I#{HOUSE}/lib", "-Itest", "-r#{EXTRA}/boot", "-e", "ARGV.take_while { |name| name != '--seed' }.each { |file| require file }",
     *files.map { |file| "./test/cases/#{file}" }, "--seed", "1"]
  end
end

# What came out, beside what is known.
class ActiveRecordReport
  FAILURE = /^\s*\d+\) (?:Failure|Error):\n(\S+?)#(\S+?)(?: \[[^\]]*\])?:?$/

  attr_reader :totals, :unexpected

  def initialize(excluded)
    @excluded = excluded
    @totals = Hash.new(0)
    @unexpected = []
  end

  def add(files, output, numbers)
    return note("#{files.join(" ")} did not come to their end: #{output.lines.last(15).join}") unless numbers

    %i[runs assertions failures errors skips].zip(numbers) { |name, number| @totals[name] += number }
    output.scan(FAILURE) { |suite, name| excluded?(suite, name) ? @totals[:excluded] += 1 : note("#{suite}##{name}") }
    puts "#{files.first} to #{files.last}: #{numbers.join(" ")}"
  end

  private

  def excluded?(suite, name) = @excluded.dig(suite, name)

  def note(what)
    @unexpected << what
    puts "  #{what}"
  end
end

connection = ENV.fetch("ARCONN", "trunkline")
cases = File.join(ENV.fetch("RAILS"), "activerecord/test/cases")
chosen = ENV.fetch("FILES", "").split(",")
files = Dir["**/*_test.rb", base: cases].sort.select do |file|
  next false if file.start_with?("adapters/") && !file.start_with?("adapters/postgresql/")
  next false if file.start_with?("encryption/performance")

  chosen.empty? || chosen.any? { |name| file == "#{name}.rb" || file.start_with?("#{name}/") }
end
excluded = connection == "trunkline" ? YAML.load_file(File.join(__dir__, "activerecord/excluded.yml")) || {} : {}
report = ActiveRecordReport.new(excluded)
queue = Queue.new(files.each_slice(Integer(ENV.fetch("BATCH", "30"))).to_a).close
lock = Mutex.new
Array.new(Integer(ENV.fetch("JOBS", "1"))) do
  Thread.new do
    suite = ActiveRecordSuite.new(ENV.fetch("RAILS"), connection)
    while (batch = queue.pop)
      output, numbers = suite.run(batch)
      File.write(File.join(ENV["LOGS"], "#{batch.first.tr("/", "-")}.log"), output) if ENV["LOGS"]
      lock.synchronize { report.add(batch, output, numbers) }
    end
  ensure
    suite&.stop
  end
end.each(&:join)
puts report.totals, report.unexpected
exit report.unexpected.empty?
