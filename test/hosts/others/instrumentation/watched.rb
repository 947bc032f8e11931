# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require "rbconfig"
require "tmpdir"
require "yaml"
require_relative "../../../../bench/support/servers/postgres_server"
require_relative "../gems/bundle"

# A library that watches what an application does with its database.
class Watched
  HOUSE = File.expand_path("../../../..", __dir__)
  FILE = File.join(__dir__, "gems.yml")
  ADAPTERS = { "stock" => "postgresql", "one_line" => "postgresql", "adapter" => "trunkline" }.freeze
  REPORT = /^REPORT (.*)$/
  private_constant :HOUSE, :FILE, :ADAPTERS, :REPORT

  # @return [Array<Watched>] those of gems.yml
  def self.all = YAML.load_file(FILE, aliases: true).map { |name, needs| new(name, needs) }

  # @return [String]
  attr_reader :name

  # @param name [String] of the file in probes/
  # @param needs [Hash{String => Object}] see gems.yml
  def initialize(name, needs)
    @name = name
    @needs = needs
  end

  # @param modes [Array<String>] "stock" first
  # @return [Comparison]
  def compare(modes) = Comparison.new(@name, version, modes.to_h { |mode| [mode, renamed(mode, run(mode).except(*@needs["left_out"]&.keys))] }, @needs.fetch("differences", {}))

  private

  # Some take the name of the database's product from the adapter's name in the configuration.
  def renamed(mode, report)
    names = @needs.dig("product", mode) or return report
    raise "#{@name}, #{mode}: nothing is named #{names.keys.join(" or ")}" if report.values.none? { |page| page["told"].any? { |line| names.keys.any? { |name| line.include?(name) } } }

    report.transform_values { |page| { **page, "told" => page["told"].map { |line| names.reduce(line) { |text, (name, other)| text.gsub(name, other) } } } }
  end

  def version = @needs.fetch("gems", {}).values.first || "of Rails"

  # @return [Hash{String => Hash}] by page: its answer, and what was told of it
  # @raise [RuntimeError] with what the application printed
  def run(mode)
    @bundle ||= GemBundle.new("instrumentation-#{@name}", { "rails" => Gem.loaded_specs.fetch("activerecord").version, **@needs.fetch("gems", {}) }, HOUSE).tap(&:install)
    server = Trunkline::Bench::PostgresServer.start
    server.psql("CREATE DATABASE library")
    Dir.mktmpdir do |scratch|
      write(scratch, server, mode)
      environment = { **@bundle.environment, "MODE" => mode, "PROBE" => @name, "RAILS_ENV" => "development", "DATABASE_URL" => nil }
      output, = Bundler.with_unbundled_env { Open3.capture2e(environment, RbConfig.ruby, "#{__dir__}/application.rb", chdir: scratch) }
      JSON.parse((output[REPORT, 1] || raise("#{@name}, #{mode}: #{output}")).gsub(server.socket_directory, "HOST").gsub(server.port.to_s, "PORT"))
    end
  ensure
    server&.stop
  end

  def write(scratch, server, mode)
    FileUtils.mkdir_p("#{scratch}/config")
    place = { "adapter" => ADAPTERS.fetch(mode), "host" => server.socket_directory, "port" => server.port, "username" => "postgres", "database" => "library", "pool" => 10 }
    File.write("#{scratch}/config/database.yml", { "development" => { **place, **@needs.fetch("settings", {}) } }.to_yaml)
  end

  # What was reported in each mode, beside the stock mode.
  class Comparison
    # @return [Hash{String => Hash}] by mode
    attr_reader :reports

    # @param name [String]
    # @param version [String]
    # @param reports [Hash{String => Hash}] by mode
    # @param differences [Hash{String => Hash{String => String}}] by mode: reasons by regular expression
    def initialize(name, version, reports, differences)
      @name = name
      @version = version
      @reports = reports
      @differences = differences
    end

    # @return [Array<String>] what no reason covers
    def problems
      told = @reports.fetch("stock").sum { |_, page| page["told"].size }
      [*("#{@name} has told nothing" if told.zero?), *others.flat_map { |mode, report| report.flat_map { |page, _| of(mode, page) } }, *others.keys.flat_map { |mode| stale(mode) }]
    end

    # @return [String] of the table: its version, how many lines it reports of the stock adapter, and whether those of the others are the same
    def row
      told = @reports.fetch("stock").sum { |_, page| page["told"].size }
      "| #{@name} #{@version} | #{told} | #{others.keys.map { |mode| @differences.key?(mode) ? "the same but for #{@differences[mode].size}" : "the same" }.join(" | ")} |"
    end

    private

    def others = @reports.except("stock")

    def of(mode, page)
      theirs, ours = [@reports.fetch("stock"), @reports.fetch(mode)].map { |report| report.fetch(page) }
      [*("#{mode}: #{page} answers #{ours["answer"]}, not #{theirs["answer"]}" unless ours["answer"] == theirs["answer"]),
       *lines("#{mode}: #{page} lacks", kept(mode, theirs), kept(mode, ours)), *lines("#{mode}: #{page} has also", kept(mode, ours), kept(mode, theirs))]
    end

    # As often as each is there.
    def lines(what, some, others)
      counts = others.tally
      some.tally.flat_map { |line, count| ["#{what} #{line}"] * [count - counts.fetch(line, 0), 0].max }
    end

    def kept(mode, page) = page["told"].reject { |line| expressions(mode).any? { |expression| expression.match?(line) } }

    def expressions(mode) = @differences.fetch(mode, {}).keys.map { |text| Regexp.new(text) }

    def stale(mode)
      lines = @reports.values_at("stock", mode).flat_map { |report| report.values.flat_map { |page| page["told"] } }
      expressions(mode).reject { |expression| lines.grep(expression).any? }.map { |expression| "#{mode}: nothing is told that #{expression.source} matches" }
    end
  end
end
