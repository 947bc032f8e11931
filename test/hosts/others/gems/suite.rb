# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "tmpdir"
require "yaml"
require_relative "../../../../bench/support/servers/postgres_server"
require_relative "../suites/exclusions"
require_relative "../suites/report"
require_relative "../suites/suite_command"
require_relative "../suites/suite_process"
require_relative "bundle"

# The tests of a gem that uses ActiveRecord or Sequel, on the stock adapter or on one of the two ways to this library's.
#
# A suite is a YAML file in suites/ with these keys:
#
#   version: "6.0.0"                 the version that the file was written for
#   host: activerecord               or sequel
#   modes: [stock, one_line]         those of MODES that the gem can be run in; all if there is no such key
#   framework: minitest              or rspec
#   arguments: [--tag, postgres]     more of RSpec's
#   files: [test/**/*_test.rb]       patterns in the gem's folder
#   databases: [ancestry_test]       to create on the server of the run
#   libraries: [lib, test]           folders of the load path; these two if there is no such key
#   requires: [groupdate]            libraries to load before the tests
#   gems: { timecop: 0.9.10 }        gems that the tests need beside those of this project, with their versions
#   gemfile: rails_7.2.gemfile       the Gemfile's name, where the tests look at it
#   absent: [mysql2]                 libraries that the tests require and do not use with PostgreSQL: an empty file is loaded
#   copies: { from.yml: to.yml }     files of the gem's to copy before the run
#   prepare: Schema.migrate          Ruby code that runs before the tests, in a process of its own
#   environment: { DB: pg }          variables; %{host} and %{port} are the server's, %{adapter} the configured one, %{scheme} that of a URL for Sequel,
#                                    %{boot} what comes before the tests, for processes that they start
#   without: [test/a_test.rb]        files of those patterns that do not run with PostgreSQL
#   left_out: { mode: {Suite: {test: reason}} }     tests that do not run
#   differences: { mode: {Suite: {test: reason}} }  tests that fail in this mode and pass in the stock mode
class GemSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  FOLDER = File.join(__dir__, "suites")
  # The name of the adapter in the configuration, by mode.
  MODES = { "stock" => "postgresql", "one_line" => "postgresql", "adapter" => "trunkline" }.freeze
  # The scheme of a URL, by mode: of those of PostgreSQL the one that gems look for.
  SCHEMES = { "stock" => "postgres", "one_line" => "postgres", "adapter" => "trunkline" }.freeze
  BOOTS = { "activerecord" => "boot", "sequel" => "boot_sequel" }.freeze
  PREPARED = "prepared\n"
  private_constant :HOUSE, :BOOTS, :PREPARED

  # @return [String] the gem's name
  attr_reader :name
  # @return [Hash{String => Object}] the YAML file's keys
  attr_reader :settings

  # @return [Array<String>] the gems that have a file in suites/
  def self.names = Dir["*.yml", base: FOLDER].map { |file| File.basename(file, ".yml") }.sort

  # @param name [String] the gem's
  # @return [GemSuite]
  # @raise [ArgumentError] there is no such file in suites/, or the folder has no such tests
  def self.load(name, folder, seed: 1)
    file = File.join(FOLDER, "#{name}.yml")
    raise ArgumentError, "there is no suite #{name}; there are #{names.join(", ")}" unless File.exist?(file)

    new(name, YAML.load_file(file, aliases: true), folder, seed: seed)
  end

  # @param name [String] the gem's
  # @param settings [Hash{String => Object}] see above
  # @param folder [String] a checkout of the gem; it is copied, and not written to
  # @param seed [Integer] of the tests' order
  # @raise [ArgumentError] the folder has no such tests
  def initialize(name, settings, folder, seed: 1)
    @name = name
    @settings = settings
    @folder = folder
    @seed = seed
    @files = settings.fetch("files").flat_map { |pattern| Dir[pattern, base: folder].sort }.uniq - settings.fetch("without", [])
    raise ArgumentError, "there are no files #{settings["files"].join(", ")} in #{folder}" if @files.empty?
  end

  # @return [Array<String>] of {MODES}
  def modes = settings.fetch("modes", MODES.keys)

  # @param mode [String] one of {MODES}
  # @return [Hash{String => String}] reasons by "Suite#test" of the tests that fail in this mode and pass in the stock mode
  def differences(mode) = Exclusions.from(settings.dig("differences", mode) || {})

  # @param mode [String] one of {MODES}
  # @return [SuiteReport]
  def run(mode)
    @bundle ||= GemBundle.new(@name, settings.fetch("gems", {}), HOUSE, file: settings.fetch("gemfile", "Gemfile")).tap(&:install)
    server = Trunkline::Bench::PostgresServer.start
    Dir.mktmpdir do |scratch|
      prepare(server, scratch)
      variables = { **@bundle.environment, **environment(server, mode) }
      run_preparation(variables, scratch) if settings["prepare"]
      result = SuiteProcess.new(command(scratch), folder: "#{scratch}/gem", scratch: scratch, left_out: left_out(mode), environment: variables).run
      SuiteReport.new({}).tap { |report| report.add(@files, *result) }
    end
  ensure
    server&.stop
  end

  private

  def framework = settings.fetch("framework", "minitest")

  def left_out(mode) = Exclusions.from(settings.dig("left_out", mode) || {}).keys

  def prepare(server, scratch)
    settings.fetch("databases", []).each { |name| server.psql("CREATE DATABASE #{name}") }
    FileUtils.cp_r(@folder, "#{scratch}/gem")
    settings.fetch("copies", {}).each { |from, to| FileUtils.cp("#{scratch}/gem/#{from}", "#{scratch}/gem/#{to}") }
    settings.fetch("absent", []).each do |library|
      FileUtils.mkdir_p(File.dirname("#{scratch}/absent/#{library}"))
      File.write("#{scratch}/absent/#{library}.rb", "")
    end
  end

  def run_preparation(variables, scratch)
    output, entries = SuiteProcess.new([*ruby(scratch), "-e", "#{settings["prepare"]}\nputs #{PREPARED.inspect}"], folder: "#{scratch}/gem", scratch: scratch, environment: variables).run
    FileUtils.rm_f("#{scratch}/journal")
    raise "#{@name}: #{output}" unless entries.empty? && output.end_with?(PREPARED)
  end

  def environment(server, mode)
    place = { host: server.socket_directory, port: server.port, adapter: MODES.fetch(mode), scheme: SCHEMES.fetch(mode), boot: boot }
    { "MODE" => mode, "FRAMEWORK" => framework, "SUITE_ADAPTER" => place[:adapter], "PGHOST" => place[:host], "PGPORT" => place[:port].to_s, "PGUSER" => "postgres",
      **settings.fetch("environment", {}).transform_values { |value| value.to_s.gsub(/%\{(\w+)\}/) { place.fetch($1.to_sym).to_s } } }
  end

  def ruby(scratch)
    folders = ["#{scratch}/absent", *settings.fetch("libraries", %w[lib test])]
    [RbConfig.ruby, *folders.map { |folder| "-I#{folder}" }, "-r#{boot}"]
  end

  def boot = File.join(__dir__, BOOTS.fetch(settings.fetch("host", "activerecord")))

  def command(scratch)
    ruby = [*ruby(scratch), *settings.fetch("requires", []).map { |library| "-r#{library}" }]
    SuiteCommand.of(framework, ruby, @files, seed: @seed, arguments: settings.fetch("arguments", []))
  end
end
