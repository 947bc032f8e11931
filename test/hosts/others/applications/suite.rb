# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "tmpdir"
require "yaml"
require_relative "../../../../bench/support/servers/postgres_server"
require_relative "../../../support/redis_server"
require_relative "../gems/suite"
require_relative "../suites/exclusions"
require_relative "../suites/report"
require_relative "../suites/suite_command"
require_relative "../suites/suite_process"
require_relative "checkout"

# The tests of a whole application, on the stock adapter or on one of the two ways to this library's.
#
# A suite is a YAML file in suites/ with these keys:
#
#   version: 6.0.10                  the version that the file was written for
#   ruby: "3.3"                      of the Debian root in which it runs, where this Ruby may be too old
#   packages: [libvips42]            Debian's, which that root needs
#   modes: [stock, one_line]         those that it can be run in; all if there is no such key
#   redis: true                      whether it needs one; %{redis} is its URL
#   framework: minitest              or rspec
#   arguments: [--tag, "~slow"]      more of RSpec's
#   files: [test/**/*_test.rb]       patterns in the checkout
#   without: [test/a_test.rb]        files of those patterns that do not run
#   gemfile: Gemfile.local           the file that takes the line; Gemfile if there is no such key
#   gems: |                          lines for that file in all modes
#   bundle_without: development      groups of gems that the tests do not need
#   replaces: { Gemfile: { 'gem "a", github: "b/a"': 'gem "a"' } }   what else a user would change
#   writes: { config/database.yml: "..." }                           files to write
#   prepare: ["bin/rails db:create db:schema:load"]                  commands that run before the tests
#   compares: [db/schema.rb]         files that have to be the same in all modes when these have run
#   environment: { DB_HOST: "%{host}" }   variables; %{host} and %{port} are the server's, %{adapter} is the configured one, %{scheme} that of a URL
#   left_out, differences            as in the suites of gems: see GemSuite
class ApplicationSuite
  HOUSE = File.expand_path("../../../..", __dir__)
  FOLDER = File.join(__dir__, "suites")
  MODES = GemSuite::MODES.keys.freeze
  # What a user writes into the Gemfile, by mode.
  LINES = { "one_line" => %(gem "trunkline", path: #{HOUSE.inspect}, require: "trunkline/postgresql"), "adapter" => %(gem "trunkline", path: #{HOUSE.inspect}) }.freeze
  ADAPTER = /^([ \t]*adapter:[ \t]*)postgresql[ \t]*$/
  CONFIGURATION = "config/database.yml"
  private_constant :HOUSE, :LINES, :ADAPTER, :CONFIGURATION

  # @return [String] the application's name
  attr_reader :name
  # @return [Hash{String => Object}] the YAML file's keys
  attr_reader :settings

  # @return [Array<String>] the applications that have a file in suites/
  def self.names = Dir["*.yml", base: FOLDER].map { |file| File.basename(file, ".yml") }.sort

  # @param name [String] the application's
  # @return [Hash{String => Object}] what its file says
  # @raise [ArgumentError] there is no such file in suites/
  def self.settings(name)
    file = File.join(FOLDER, "#{name}.yml")
    raise ArgumentError, "there is no suite #{name}; there are #{names.join(", ")}" unless File.exist?(file)

    YAML.load_file(file, aliases: true)
  end

  # @param name [String] the application's
  # @return [ApplicationSuite]
  # @raise [ArgumentError] there is no such file in suites/, or the folder has no such tests
  def self.load(name, folder, **options) = new(name, settings(name), folder, **options)

  # @param name [String] the application's
  # @param settings [Hash{String => Object}] see above
  # @param folder [String] a checkout; it is copied, and not written to
  # @param seed [Integer] of the tests' order
  # @param chosen [Array<String>] beginnings of the paths of the files that run; all if there is none
  # @param kept [String] a folder for what Bundler has resolved, and, unless `gems` names another, installed
  # @param gems [String] where Bundler finds and installs gems
  # @raise [ArgumentError] the folder has no such tests
  def initialize(name, settings, folder, seed: 1, chosen: [], kept: File.join(HOUSE, "tmp/applications", name), gems: File.join(kept, "gems"))
    @name = name
    @settings = settings
    @folder = folder
    @seed = seed
    @files = settings.fetch("files").flat_map { |pattern| Dir[pattern, base: folder].sort }.uniq - settings.fetch("without", [])
    @files.select! { |file| chosen.any? { |beginning| file.start_with?(beginning) } } if chosen.any?
    raise ArgumentError, "there are no files #{settings["files"].join(", ")} in #{folder}" if @files.empty?

    @kept = kept
    @gems = gems
    @compared = Hash.new { |files, file| files[file] = {} }
  end

  # @return [Array<String>] of {MODES}
  def modes = settings.fetch("modes", MODES)

  # @param mode [String] one of {MODES}
  # @return [Hash{String => String}] reasons by "Suite#test" of the tests that fail in this mode and pass in the stock mode
  def differences(mode) = Exclusions.from(settings.dig("differences", mode) || {})

  # @return [Array<String>] the files of `compares` that a mode has left otherwise than the stock mode, one line each
  def changed
    @compared.flat_map { |file, texts| texts.reject { |_, text| text == texts["stock"] }.keys.map { |mode| "#{mode}: #{file} is not that of the stock mode" } }
  end

  # @param mode [String] one of {MODES}
  # @return [SuiteReport]
  # @raise [RuntimeError] with the output of what failed before the tests
  def run(mode)
    with_servers do |place|
      Dir.mktmpdir do |scratch|
        checkout = checkout(mode, scratch, place)
        variables = environment(mode, checkout, place)
        bundle(mode, checkout, variables)
        settings.fetch("prepare", []).each { |command| checkout.run(variables, command) }
        settings.fetch("compares", []).each { |file| @compared[file][mode] = File.read(checkout.path(file)) }
        result = SuiteProcess.new(command, folder: checkout.folder, scratch: scratch, left_out: left_out(mode), environment: variables, patience: 600).run
        SuiteReport.new({}).tap { |report| report.add(@files, *result) }
      end
    end
  end

  # @param mode [String] one of {MODES}
  # @param scratch [String] a folder for the copy
  # @param place [Hash{Symbol => Object}] what %{...} stands for
  # @return [ApplicationCheckout] changed as a user would
  def checkout(mode, scratch, place)
    values = values(mode, place)
    ApplicationCheckout.new(@folder, File.join(scratch, @name)).tap do |checkout|
      settings.fetch("writes", {}).each { |file, text| checkout.write(file, filled(text, values)) }
      settings.fetch("replaces", {}).each { |file, changes| changes.each { |before, after| checkout.replace(file, before, filled(after, values)) } }
      [settings["gems"], LINES[mode]].compact.each { |lines| checkout.append(settings.fetch("gemfile", "Gemfile"), lines) }
      rename_adapter(checkout, values[:adapter])
      checkout.lock(lock)
    end
  end

  private

  def left_out(mode) = Exclusions.from(settings.dig("left_out", mode) || {}).keys

  def framework = settings.fetch("framework", "minitest")

  # What %{...} stands for in a mode.
  def values(mode, place) = { **place, adapter: GemSuite::MODES.fetch(mode), scheme: GemSuite::SCHEMES.fetch(mode), ruby: RUBY_VERSION }

  def with_servers
    server = Trunkline::Bench::PostgresServer.start
    place = { host: server.socket_directory, port: server.port }
    return yield(place) unless settings["redis"]

    Trunkline::RedisServer.open { |url| yield({ **place, redis: url }) }
  ensure
    server&.stop
  end

  def filled(text, values) = text.to_s.gsub(/%\{(\w+)\}/) { values.fetch($1.to_sym).to_s }

  # One line of config/database.yml, or as many as there are databases.
  def rename_adapter(checkout, adapter)
    text = File.read(checkout.path(CONFIGURATION))
    checkout.write(CONFIGURATION, text.gsub(ADAPTER) { "#{$1}#{adapter}" }) if text.match?(ADAPTER)
  end

  def environment(mode, checkout, place)
    values = values(mode, place)
    { "BUNDLE_GEMFILE" => checkout.path("Gemfile"), "BUNDLE_PATH" => @gems, "BUNDLE_WITHOUT" => settings["bundle_without"],
      "RAILS_ENV" => "test", "FRAMEWORK" => framework, "SERVER_HOST" => place[:host], "SERVER_PORT" => place[:port].to_s,
      "PGHOST" => place[:host], "PGPORT" => place[:port].to_s, "PGUSER" => "postgres",
      **settings.fetch("environment", {}).transform_values { |value| filled(value, values) } }.compact
  end

  # What is resolved in the stock mode is what the other modes have.
  def bundle(mode, checkout, variables)
    checkout.run(variables, "bundle check >/dev/null 2>&1 || bundle install --quiet")
    return unless mode == "stock"

    FileUtils.mkdir_p(@kept)
    FileUtils.cp(checkout.path("Gemfile.lock"), lock)
  end

  def lock = File.join(@kept, "Gemfile.lock")

  def command
    ruby = [RbConfig.ruby, "-I#{framework == "rspec" ? "spec" : "test"}", "-r#{__dir__}/boot"]
    SuiteCommand.of(framework, ruby, @files, seed: @seed, arguments: settings.fetch("arguments", []))
  end
end
