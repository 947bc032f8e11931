# frozen_string_literal: true

# A small Rails application in Spring, on the stock adapter and in both ways to this library's: rake hosts:spring
#
# Spring's server loads the application, which queries in an initializer, and forks a process for each command. The commands query from eight threads, write
# in a transaction that the next command reads, and fail; two of them run at the same time. It fails where a mode prints otherwise than the stock adapter's.

require "fileutils"
require "open3"
require "rbconfig"
require "timeout"
require "tmpdir"
require "yaml"
require_relative "../../../bench/support/servers/postgres_server"
require_relative "gems/bundle"

# The application in one mode.
class SpringApplication
  HOUSE = File.expand_path("../../..", __dir__)
  VERSION = "4.2.1"
  MODES = { "stock" => %w[pg postgresql], "one_line" => %w[trunkline/postgresql postgresql], "adapter" => %w[trunkline trunkline] }.freeze
  FILES = {
    "config/boot.rb" => 'require "bundler/setup"; require "logger"',
    "config/application.rb" => <<~'RUBY',
      require_relative "boot"
      require "rails"
      require "active_record/railtie"
      require ENV.fetch("ADAPTER_LIBRARY")
      class Loaded < Rails::Application
        config.load_defaults Rails::VERSION::STRING.to_f
        config.eager_load = false
        config.enable_reloading = true
        config.secret_key_base = "0" * 64
      end
    RUBY
    "config/environment.rb" => 'require_relative "application"; Loaded.initialize!',
    "config/initializers/before_the_fork.rb" => 'ActiveSupport.on_load(:after_initialize) { BOOTED = [Process.pid, ActiveRecord::Base.lease_connection.select_value("SELECT 1")] }',
    "app/models/entry.rb" => "class Entry < ActiveRecord::Base; end",
    "bin/rails" => 'APP_PATH = File.expand_path("../config/application", __dir__); require_relative "../config/boot"; require "rails/commands"'
  }.freeze
  FORKED = 'print Process.pid != BOOTED[0], " ", Process.ppid == BOOTED[0], " ", BOOTED[1], " "; '
  COMMANDS = [
    'ActiveRecord::Schema.verbose = false; ActiveRecord::Schema.define { create_table(:entries) { |table| table.text :name, null: false } }; print Entry.count',
    'Entry.transaction { 3.times { |number| Entry.create!(name: "entry #{number}") } }; print Entry.order(:id).pluck(:name)',
    'print Array.new(8) { |number| Thread.new { Entry.connection_pool.with_connection { Entry.where("id > ?", 0).count + number } } }.map(&:value)',
    'begin; Entry.create!(name: nil); rescue ActiveRecord::NotNullViolation => error; print error.cause.class; end; print Entry.count',
    "print ActiveRecord::Base.lease_connection.class.name.demodulize"
  ].freeze
  private_constant :HOUSE, :MODES, :FILES, :FORKED, :COMMANDS

  # @return [Array<String>]
  def self.modes = MODES.keys

  # @param mode [String] of {modes}
  def initialize(mode)
    @library, @adapter = MODES.fetch(mode)
  end

  # @return [Array<String>] what each command has printed, and the two that ran at the same time
  def run
    bundle = GemBundle.new("spring", { "rails" => Gem.loaded_specs.fetch("activerecord").version, "spring" => VERSION }, HOUSE).tap(&:install)
    server = Trunkline::Bench::PostgresServer.start
    Dir.mktmpdir do |folder|
      write(folder, server)
      @environment = { **bundle.environment, "ADAPTER_LIBRARY" => @library, "RAILS_ENV" => "development", "DATABASE_URL" => nil, "SPRING_TMP_PATH" => folder,
                       "SPRING_QUIET" => "1" }
      told(folder)
    ensure
      spring(folder, "stop") if @environment
    end
  ensure
    server&.stop
  end

  private

  def told(folder)
    some = COMMANDS.map { |command| command(folder, command) }
    some + Array.new(2) { Thread.new { command(folder, COMMANDS[2]) } }.map(&:value)
  end

  def command(folder, text) = spring(folder, "rails", "runner", FORKED + text)

  def spring(folder, *arguments)
    Bundler.with_unbundled_env { Timeout.timeout(300) { Open3.capture2e(@environment, "bundle", "exec", "spring", *arguments, chdir: folder).first } }
  end

  def write(folder, server)
    place = { "adapter" => @adapter, "host" => server.socket_directory, "port" => server.port, "username" => "postgres", "database" => "postgres", "pool" => 10 }
    { **FILES, "config/database.yml" => { "development" => place }.to_yaml }.each do |name, text|
      FileUtils.mkdir_p(File.dirname("#{folder}/#{name}"))
      File.write("#{folder}/#{name}", text)
    end
  end
end

reports = SpringApplication.modes.to_h { |mode| [mode, SpringApplication.new(mode).run] }
reports.each { |mode, report| puts "#{mode}: #{report.inspect}" }
same = reports.values.map { |report| report.map { |line| line.sub(/TrunklineAdapter/, "PostgreSQLAdapter") } }.uniq.one?
ours = reports.transform_values { |report| report.grep(/TrunklineAdapter/).size } == { "stock" => 0, "one_line" => 1, "adapter" => 1 }
abort "the modes differ, or a command did not run in a fork of Spring's" unless same && ours && reports.fetch("stock").all? { |line| line.start_with?("true true 1 ") }
