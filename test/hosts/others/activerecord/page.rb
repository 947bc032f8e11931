# frozen_string_literal: true

require "trunkline/version"
require_relative "../../../../bench/support/table"
require_relative "../../../../bench/support/versions"

# The adapters beside each other: what ran, and what failed on which of them.
module ActiveRecordPage
  NEWEST_OF_BASE = "7.2" # of the Rails that runs on the base Ruby
  TITLE = "# ActiveRecord's own tests\n\n`rake hosts:activerecord:compare` writes this page: the same tests in the same order on both adapters, " \
          "one after the other on one machine."
  private_constant :NEWEST_OF_BASE, :TITLE

  module_function

  # @param rails [String] its version
  # @return [String] the page's name: results.md, or results_8_0.md
  def name(rails)
    series = rails[/\A\d+\.\d+/]
    series == NEWEST_OF_BASE ? "results.md" : "results_#{series.tr(".", "_")}.md"
  end

  # @param reports [Hash{String => SuiteReport}] by adapter
  # @param excluded [Hash{String => String}] reasons by "Suite#test"
  # @param versions [Hash{String => Object}] of what it was run with
  def write(reports, excluded, versions)
    line = "#{versions.map { |name, version| "#{name} #{version}" }.join(", ")}."
    File.write(File.join(__dir__, name(versions.fetch("rails"))), [TITLE, totals(reports), failures(reports, excluded), line].join("\n\n") << "\n")
  end

  def totals(reports)
    rows = reports.map do |adapter, report|
      [adapter, report.totals[:runs], report.totals[:assertions], report.failed.size, report.totals[:skips]]
    end
    Trunkline::Bench::Table.new(%w[adapter tests assertions failed skipped], rows, title: "In all").to_markdown
  end

  def failures(reports, excluded)
    rows = reports.values.flat_map(&:failed).uniq.sort.map do |name|
      ["`#{name.delete_prefix("ActiveRecord::")}`", *reports.map { |_, report| report.failed.include?(name) ? "fails" : "" }, excluded[name]]
    end
    Trunkline::Bench::Table.new(["test", *reports.keys, "why"], rows, title: "What fails").to_markdown
  end
  private_class_method :totals, :failures
end
