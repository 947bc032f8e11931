# frozen_string_literal: true

require "test_helper"
require_relative "../../bench/support/mixture_report"
require_relative "../../bench/support/report"

class MixtureReportTest < Trunkline::TestCase
  Row = Trunkline::Bench::MixtureRace::Row
  ROWS = [
    Row.new(kind: :cpu, long: 10, multiplier: 2, loaded: false, blocking: 0.56, fibers: 0.5, connections: 12),
    Row.new(kind: :cpu, long: 10, multiplier: 5, loaded: false, blocking: 0.8, fibers: 0.4, connections: 12),
    Row.new(kind: :cpu, long: 10, multiplier: 5, loaded: true, blocking: 1.0, fibers: 0.25, connections: 12)
  ].freeze
  private_constant :Row, :ROWS

  def test_advantage_is_the_part_of_the_time_that_was_saved
    assert_in_delta 10.71, ROWS.first.advantage, 0.01
  end

  def test_table
    assert_equal [["1/2", "10", "20", "0.56", "0.50", "10.7%", "12"], [], ["1/5", "10", "50", "0.80", "0.40", "50.0%", "12"], [],
                  ["1/5 busy disk", "10", "50", "1.00", "0.25", "75.0%", "12"]], report.tables.first.rows
  end

  def test_curves_are_of_the_undisturbed_rows
    assert_equal [{ name: "10 long", data: { "×2" => 10.7, "×5" => 50.0 } }], report.curves.values.first
  end

  def test_one_row_makes_no_curve
    assert_empty Trunkline::Bench::MixtureReport.new(ROWS.first(1)).plots
  end

  def test_plot_names_its_curve_and_its_ends
    assert_match(/100 .*10 long.*×2 +×5/m, report.plots.first)
  end

  def test_page_needs_no_network
    Dir.mktmpdir do |folder|
      path = Trunkline::Bench::Report.new("Test").lines("Curves", report.curves.values.first).table(report.tables.first)
                              .write(File.join(folder, "page.html"), footer: "<ruby>")
      page = File.read(path, encoding: "UTF-8")
      refute_match(/<(script|link)[^>]+(src|href)=/, page)
      assert_includes page, 'new Chartkick["LineChart"]'
      assert_includes page, "&lt;ruby&gt;"
    end
  end

  private

  def report = Trunkline::Bench::MixtureReport.new(ROWS)
end
