# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "support/browser"
require_relative "../../bench/support/report"
require_relative "../../bench/support/table"

class ReportTest < Trunkline::TestCase
  TABLE = Trunkline::Bench::Table.new(%w[side queries/s], [["pg", "1,200"], [], ["<Trunkline>", "4,800"]], title: "Selects", drawn: "queries/s")
  CURVES = [{ name: "pg", data: { "1" => 10, "8" => 20 } }, { name: "Trunkline", data: { "1" => 11, "8" => 80 } }].freeze
  private_constant :TABLE, :CURVES

  def test_a_browser_draws_the_charts_and_shows_the_tables
    shown = look_at(report)
    assert_equal 2, shown.scan("<canvas").size
    refute_match(/Loading\.\.\.|Error Loading Chart/, shown)
    assert_includes shown, "<td>&lt;Trunkline&gt;</td><td>4,800</td>"
  end

  def test_the_contents_lead_to_the_sections
    page = written(report.section("second"))
    assert_equal %w[first second], page.scan(/<a href="#(\w+)">/).flatten
    assert_equal %w[first second], page.scan(/<section id="(\w+)">/).flatten
  end

  # Of a telephone's width, a wide table is scrolled by itself.
  def test_the_page_is_no_wider_than_its_window
    page = report.table(Trunkline::Bench::Table.new(["side", *("a".."z")], [["pg", *[1000] * 26]])).section("third")
    [400, 1200].each do |width|
      Dir.mktmpdir do |folder|
        path = page.write(File.join(folder, "page.html"), footer: "1 minute")
        File.write(path, File.read(path).sub("</body>", "<script>document.title = document.documentElement.scrollWidth + ' of ' + window.innerWidth</script></body>"))
        scrolled, window = Browser.open("file://#{path}", time: 2000, options: ["--window-size=#{width},800"]).first[/<title>(\d+ of \d+)/, 1].split(" of ").map(&:to_i)
        assert_operator scrolled, :<=, window
        assert_in_delta width, window, 50
      end
    end
  end

  def test_the_page_loads_nothing
    assert_empty without_scripts(written(report)).scan(/(?:src|href)="(?!#)[^"]*"|url\(|@import/)
  end

  private

  def report
    Trunkline::Bench::Report.new("Measured").section("first").text("2 cores").table(TABLE).lines("Requests", CURVES, xtitle: "clients")
  end

  def written(report)
    Dir.mktmpdir { |folder| File.read(report.write(File.join(folder, "page.html"), footer: "1 minute")) }
  end

  def look_at(report)
    Dir.mktmpdir do |folder|
      page = report.write(File.join(folder, "page.html"), footer: "1 minute")
      without_scripts(Browser.look_at("file://#{page}", time: 2000))
    end
  end

  def without_scripts(html) = html.gsub(/<script.*?<\/script>/m, "")
end
