# frozen_string_literal: true

require "json"
require_relative "repository"

# What the layout and the index of the search ask for.
module SiteHelpers
  # Markup, and the text that is not read.
  TAGS = /<[^>]+>/.freeze
  HEADING = %r{<h[1-4] id="([^"]+)">(.*?)</h[1-4]>}m.freeze
  private_constant :TAGS, :HEADING

  # @return [Repository]
  def repository = @repository ||= Repository.new

  # @return [Array<Array(String, String)>] path of the page and title of each guide
  def guides = repository.guides.map { |path| [repository.address(path), repository.title(path)] }

  # @return [Array<Array(String, String)>] path and title of the other pages that the menu names
  def others
    [["/reference/index.html", "Reference"], ["/bench/results/report.html", "Measurements"], ["/bench/README.html", "Benches"],
     ["/SECURITY.html", "Security"], ["/CONTRIBUTING.html", "Contributing"], ["/CHANGELOG.html", "Changes"]]
  end

  # @return [String] the sections of all pages, as JSON: title of the page, heading, address, text
  def search_index = JSON.generate(items.find_all("/**/*.md").flat_map { |page| sections(page) })

  private

  def sections(page)
    parts = page.compiled_content(snapshot: :text).split(HEADING)
    parts.drop(1).each_slice(3).map do |anchor, heading, text|
      { page: page[:title], heading: plain(heading), address: "#{page.path.delete_prefix("/")}##{anchor}", text: plain(text.to_s) }
    end
  end

  def plain(html) = CGI.unescapeHTML(html.gsub(TAGS, " ")).split.join(" ")
end

use_helper SiteHelpers
