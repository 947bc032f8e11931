# frozen_string_literal: true

# A gem's tests in each mode, beside the stock mode: which failures differ by name, and whether each has a reason in the suite's file.
class GemComparison
  # @param suite [GemSuite]
  # @param reports [Hash{String => SuiteReport}] by mode
  def initialize(suite, reports)
    @suite = suite
    @reports = reports
    @stock = reports.fetch("stock")
  end

  # @return [Array<String>] what no reason covers, one line each; empty where the modes are the same but for the known differences
  def problems = [*("no test ran in the stock mode" if @stock.totals[:runs].zero?), *others.flat_map { |mode, report| of(mode, report) }]

  # @return [String] the row of the table "works with": tests, failures in the stock mode, differences in the others
  def row
    cells = (GemSuite::MODES.keys - ["stock"]).map { |mode| (report = @reports[mode]) ? cell((report.failed - @stock.failed).size, report.left_out.size) : "-" }
    "| #{@suite.name} #{@suite.settings["version"]} | #{@stock.totals[:runs]} | #{@stock.failed.size} | #{cells.join(" | ")} |"
  end

  private

  def cell(more, left_out) = "#{more.zero? ? "the same" : "#{more} more"}#{", #{left_out} left out" if left_out.positive?}"

  def others = @reports.except("stock")

  def of(mode, report)
    known = @suite.differences(mode)
    more = report.failed - @stock.failed
    [
      *(more - known.keys).map { |name| "#{mode}: #{name} fails, and passes in the stock mode: #{report.unexpected[name]}" },
      *(known.keys - more).map { |name| "#{mode}: #{name} is the same as in the stock mode: remove it from differences" },
      *unfinished(mode, report), *count(mode, report)
    ]
  end

  def unfinished(mode, report) = (report.unexpected.keys - report.failed).map { |files| "#{mode}: #{files} #{report.unexpected[files]}" }

  def count(mode, report)
    here, there = [report, @stock].map { |one| one.totals[:runs] + one.left_out.size }
    ["#{mode}: #{here} tests ran or are left out, #{there} in the stock mode"] unless here == there
  end
end
