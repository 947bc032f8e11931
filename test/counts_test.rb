# frozen_string_literal: true

require "test_helper"
require "yaml"
require "support/sharing"
require "support/sharing/keepers"

# The guides tell how many tests, statements and exceptions there are. These are those that the repository has.
class CountsTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  private_constant :ROOT

  def test_statements_that_share_and_pin
    evasions, harmless, applications = [Sharing::EVASIONS, Sharing::FALSE_ALARMS, Sharing::APPLICATIONS].map { |statements| statements.values.sum(&:size) }
    assert_told "how-it-is-tested", "#{evasions} spellings that try to get past the scanner, and #{harmless} harmless ones", "Of #{applications} statements"
    assert_told "functions-that-keep-state", "has #{Sharing::Keepers::KEEPING.size} ways to run such a function"
  end

  def test_other_projects_tests_that_are_left_out
    left_out = %w[dalli pg].to_h { |project| [project, excluded("#{project}/excluded.yml").values.sum(&:size)] }
    dalli = guide("memcached").match(/of (\d+) tests of Dalli [\d.]+, (\d+) pass\. The other (\d+) are left out/).captures.map(&:to_i)
    assert_equal [left_out["dalli"], dalli[0] - dalli[1]], [dalli[2]] * 2
    assert_equal left_out["pg"], guide("coming-from").match(/Of (\d+) \(pg [\d.]+\) (\d+)\s+pass, and (\d+) are skipped/).captures.map(&:to_i).inject(:-)
    assert_equal 7, excluded("sequel/exclusions.yml").size
    assert_told "tested-gems", "seven are left out"
  end

  private

  def assert_told(page, *words)
    text = guide(page)
    words.each { |told| assert_includes text, told }
  end

  def guide(name) = File.read(File.join(ROOT, "guides/#{name}.md"), encoding: "UTF-8").gsub(/\s+/, " ")

  def excluded(path) = YAML.load_file(File.join(ROOT, "test/hosts/others", path))
end
