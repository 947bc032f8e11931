# frozen_string_literal: true

require "test_helper"
require "active_record"
require "trunkline/active_record/position_resolver"
require "trunkline/rack/thin"

# Where a page links to a heading of a page, that page has the heading; what it names exists. The README is the way to each guide.
class LinksTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  PAGES = Dir[File.join(ROOT, "{*.md,guides/*.md,bench/**/*.md}")].sort
  private_constant :ROOT, :PAGES

  def test_each_link_to_a_heading_leads_to_one
    lost = PAGES.flat_map do |page|
      text(page).scan(/\]\(([^)\s#:]*)#([^)\s]+)\)/).reject { |path, anchor| headings(target(page, path)).include?(anchor) }
                .map { |path, anchor| "#{page.delete_prefix("#{ROOT}/")}: #{path}##{anchor}" }
    end
    assert_empty lost
  end

  def test_the_list_of_the_readme_has_each_guide
    list = text(File.join(ROOT, "README.md"))[/^## Guides\n.*/m]
    assert_equal Dir.children(File.join(ROOT, "guides")).grep(/\.md\z/).sort, list.scan(%r{\(guides/([\w-]+\.md)\)}).flatten.uniq.sort
  end

  # In programs and in sentences.
  def test_each_constant_that_a_page_names_exists
    named = PAGES.flat_map { |page| text(page).scan(/\bTrunkline(?:::[A-Z]\w*)+/) }.uniq
    assert_operator named.size, :>=, 40
    assert_empty(named.reject { |name| Object.const_defined?(name) })
  end

  private

  def target(page, path) = path.empty? ? page : File.expand_path(path, File.dirname(page))

  # @return [Array<String>] their anchors, as GitHub makes them: lower case, hyphens for spaces, no punctuation
  def headings(page)
    (@headings ||= {})[page] ||= text(page).gsub(/^```.*?^```/m, "").scan(/^#+ (.+)$/).map { |(words)| words.downcase.gsub(/[^\w\- ]/, "").tr(" ", "-") }
  end

  def text(page) = File.read(page, encoding: "UTF-8")
end
