# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require_relative "../../bench/support/results_page"

class ResultsPageTest < Trunkline::TestCase
  RESULTS = <<~MARKDOWN
    # widgets

    ## Selects

    | side | queries/s | connections |
    | --- | --- | --- |
    | pg | 1,000 | 16 |
    | Trunkline | 2,500 | 4 |

    ## Requests by clients

    | side | 1 | 8 |
    | --- | --- | --- |
    | pg | 10 | 20 |
    | Trunkline | 11 |  |

    ## Figures

    | figure | measured | wanted |
    | --- | --- | --- |
    | queries/s: pg | 2.5 | >= 4 |
    | CPU: pg | 0.5 | <= 1 |
    | errors | 0.0 | 0 |
    | kept | 3 |  |

    Medians of 5. trunkline 0.1.0.
  MARKDOWN
  ROOT = File.expand_path("../..", __dir__)
  private_constant :RESULTS, :ROOT

  def test_what_was_wanted_is_on_top_with_what_is_missed
    with_results do |folder|
      results = Trunkline::Bench::SavedResults.all(folder)
      page = Trunkline::Bench::ResultsPage.new(results, Trunkline::Bench::MissedFigures.new(results, { "widgets" => { "queries/s: pg" => "Two cores." } }))
      assert_equal [["widgets", "queries/s: pg", "2.5", ">= 4", "missed", "Two cores."], ["widgets", "CPU: pg", "0.5", "<= 1", "met", ""],
                    ["widgets", "errors", "0.0", "0", "met", ""]], page.summary.rows
      shown = without_scripts(page.write(File.join(folder, "page.html")))
      assert_match(/2 of 3 figures meet.*<td class="missed">missed.*<section id="widgets">.*<td>2,500<.*Medians of 5/m, shown)
    end
  end

  def test_own_bars_have_a_colour_of_their_own
    with_results do |folder|
      page = File.read(Trunkline::Bench::ResultsPage.new(Trunkline::Bench::SavedResults.all(folder)).write(File.join(folder, "page.html")))
      assert_includes page, '"backgroundColor":["#9aa0a6","#1f6feb"]'
      assert_includes page, '{"name":"Trunkline","data":[["1",11.0]]}'
    end
  end

  # A result that is saved anew is shown after `rake results`.
  def test_the_page_that_is_kept_says_what_the_results_say
    kept = without_scripts(Trunkline::Bench::ResultsPage::PATH)
    Dir.mktmpdir { |folder| assert_equal without_scripts(Trunkline::Bench::ResultsPage.new.write(File.join(folder, "page.html"))), kept, "run rake results" }
  end

  # In bench/missed.yml, from which `rake results` writes both pages.
  def test_each_missed_figure_has_its_reason_in_one_sentence
    missed = Trunkline::Bench::MissedFigures.new
    reasons = missed.all.to_h { |bench, figure| ["#{bench}: #{figure.name}", missed.reason(bench, figure)] }
    assert_empty(reasons.reject { |_, reason| reason.match?(/\A\p{Lu}[^.]*(?:\.\S[^.]*)*\.\z/) })
    assert_empty missed.superfluous
    Dir.mktmpdir { |folder| assert_equal File.read(missed.write(File.join(folder, "page.md"))), File.read(Trunkline::Bench::MissedFigures::PATH), "run rake results" }
  end

  def test_the_readme_says_what_the_results_say
    selects = Trunkline::Bench::SavedResults.new(File.join(ROOT, "bench/results/throughput.md")).tables.first.rows
    told = File.read(File.join(ROOT, "README.md")).scan(%r{^    (\S.*?) +█+ +([\d,]+)/s +([\d.]+) us CPU +(\d+) connections$})
    refute_empty told
    told.each { |side, rate, cpu, connections| assert_includes selects.map { |row| row.values_at(0, 1, 2, 5) }, [side, rate, cpu, connections] }
  end

  # Each number with a unit in the table of comparisons stands in the results that its row links to, or the row above.
  def test_the_table_of_comparisons_says_what_the_results_say
    page = nil
    told = File.read(File.join(ROOT, "README.md")).lines.grep(/^\|/).flat_map do |row|
      page = row[%r{\(bench/results/(\w+\.md)\)}, 1] || page
      row.scan(%r{([\d,.]*\d)(?=/s| us\b| MB\b)}).flatten.map { |number| [page, number] }
    end
    assert_operator told.size, :>=, 15
    assert_empty(told.reject { |page, number| page && cells(page).any? { |cell| cell == number || Float(cell, exception: false)&.round == number.to_i } })
  end

  private

  def cells(page) = (@cells ||= {})[page] ||= File.read(File.join(ROOT, "bench/results", page)).lines.grep(/^\|/).flat_map { |row| row.split("|").map(&:strip) }

  def with_results
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, "widgets.md"), RESULTS)
      File.write(File.join(folder, "widgets-profile.md"), "# explained\n")
      yield folder
    end
  end

  def without_scripts(path) = File.read(path, encoding: "UTF-8").gsub(%r{<script.*?</script>}m, "")
end
