# frozen_string_literal: true

# The files of this repository that are pages of the site.
class Repository
  ROOT = File.expand_path("../..", __dir__)
  PAGES = %w[README.md guides/*.md CHANGELOG.md CONTRIBUTING.md SECURITY.md bench/README.md bench/results/*.md guides/diagrams/*.svg bench/results/report.html].freeze
  SPECIFICATION = File.join(ROOT, "trunkline.gemspec")
  private_constant :ROOT, :PAGES, :SPECIFICATION

  # @return [Array<String>] their paths in the repository
  def pages = @pages ||= PAGES.flat_map { |pattern| Dir.glob(pattern, base: ROOT).sort }

  # @param path [String] of a page
  # @return [String] its text
  def read(path) = File.read(File.join(ROOT, path), encoding: Encoding::UTF_8)

  # @param path [String] of a page
  # @return [String] its first heading
  def title(path) = read(path)[/^# (.+)$/, 1] || File.basename(path)

  # @return [Array<String>] the guides, in the order of the README's list, and then those that it does not name
  def guides
    named = read("README.md")[/^## Guides\n.*?(?=^#|\z)/m].to_s.scan(%r{\((guides/[^)#]+\.md)\)}).flatten
    named | pages.grep(%r{\Aguides/[^/]+\.md\z})
  end

  # @param target [String] what a link names, a file of the repository
  # @return [String] where the link leads: to a page of the site, or else to the file in the published repository
  def address(target)
    path, anchor = target.split("#", 2)
    return published(path) unless pages.include?(path)

    page = path == "README.md" ? "index.html" : path.sub(/\.md\z/, ".html")
    ["/#{page}", anchor].compact.join("#")
  end

  private

  def published(path) = "#{source}/#{path}"

  def source = @source ||= Gem::Specification.load(SPECIFICATION).metadata.fetch("source_code_uri")
end
