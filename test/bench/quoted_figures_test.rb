# frozen_string_literal: true

require "test_helper"

# A figure that was measured stands in a table, and its section links the table, or names the test or the command that measures it.
class QuotedFiguresTest < Trunkline::TestCase
  ROOT = File.expand_path("../..", __dir__)
  PAGES = ["README.md", *Dir.glob("guides/*.md", base: ROOT).sort].freeze
  NUMBER = /(?<![\w.,\/:-])\d[\d,]*(?:\.\d+)?/.freeze
  FIGURE = %r{(#{NUMBER})(?=(?:\s(?:us|µs|ms|s|seconds|MB|KB|MiB|%|times)|/s)(?!\w))}.freeze
  RESULTS = %r{\((?:\.\./)?(bench/results/[\w-]+\.md)(?:#[\w-]+)?\)}.freeze
  # By section: what is set or calculated, and not measured.
  SET = {
    "## Choose what to set" => %w[9 90 87 100 500 447 1,000], "## Wait for the next primary" => %w[0.1 0.8], "## Read notices" => %w[16],
    "## When the server has no connection left" => %w[15 30], "## Choose how many connections" => %w[15]
  }.freeze
  # Only a measurement has such a unit, or such words before it.
  MEASURED = /#{NUMBER}(?:\s(?:us|µs)(?!\w)|\s?% (?:faster|slower|more|less))|\bMeasured\b/.freeze
  # What shows how something was measured.
  SOURCE = %r{#{RESULTS}|`(?:bin/bench|rake|bin/test) |`test/|_test\.rb`}.freeze
  private_constant :ROOT, :PAGES, :NUMBER, :FIGURE, :RESULTS, :SET, :MEASURED, :SOURCE

  PAGES.each do |page|
    define_method(:"test_the_figures_of_#{File.basename(page, ".md").tr("-", "_").downcase}") do
      lost = sections(page).flat_map do |title, text|
        known = text.scan(RESULTS).flatten.uniq.flat_map { |path| cells(path) }
        known.empty? ? [] : (figures(text) - SET.fetch(title, [])).reject { |figure| known.any? { |cell| rounded?(cell, figure) } }.map { |figure| "#{title}: #{figure}" }
      end
      assert_empty lost, "in none of the results that the section links"
    end
  end

  def test_each_measurement_names_its_source
    lost = PAGES.flat_map { |page| sections(page).select { |_, text| text.match?(MEASURED) && !text.match?(SOURCE) }.map { |title,| "#{page}: #{title}" } }
    assert_empty lost
  end

  def test_a_figure_is_rounded_to_its_own_digits
    assert rounded?("1,234.56", "1,235")
    assert rounded?("0.35", "0.4")
    refute rounded?("0.35", "0.36")
    refute rounded?("12", "1")
  end

  private

  # @return [Array<Array(String, String)>] heading, and the text up to the next one, without programs and what they print
  def sections(page)
    prose = File.read(File.join(ROOT, page), encoding: "UTF-8").gsub(/^```.*?^```/m, "").gsub(/^    (?!.*█).*$/, "")
    prose.split(/^(?=#+ )/).map { |section| [section.lines.first.to_s.strip, section] }
  end

  # @return [Array<String>] those with a unit, and each number in a table but for its first column
  def figures(text)
    prose = text.gsub(/`[^`\n]+`/, "").gsub(/\[[^\]]*\]\([^)]*\)/, "")
    (prose.scan(FIGURE) + prose.lines.grep(/^\|/).flat_map { |line| line.split("|").drop(2).join("|").scan(NUMBER) }).flatten.uniq
  end

  # @return [Array<String>] each number in the tables of some results, and in their headings
  def cells(path)
    (@cells ||= {})[path] ||= File.readlines(File.join(ROOT, path), encoding: "UTF-8").grep(/^[|#]/).flat_map { |line| line.scan(/\d[\d,]*(?:\.\d+)?/) }.uniq
  end

  def rounded?(cell, figure)
    digits = figure[/\.(\d+)/, 1].to_s.size
    cell.delete(",").to_f.round(digits) == figure.delete(",").to_f
  end
end
