# frozen_string_literal: true

require "test_helper"
require_relative "../guides/diagrams/diagrams"

# The guides' diagrams are what their program draws, and each stands in a guide.
class DiagramsTest < Trunkline::TestCase
  GUIDES = File.expand_path("../guides", __dir__)
  private_constant :GUIDES

  def test_the_files_are_what_the_program_draws
    assert_equal Diagrams.all.keys.sort, Dir.children(Diagrams::FOLDER).grep(/\.svg\z/).sort
    Diagrams.all.each { |name, text| assert_equal text, File.read(File.join(Diagrams::FOLDER, name), encoding: "UTF-8"), "ruby guides/diagrams/diagrams.rb draws #{name} anew" }
  end

  def test_each_can_be_read_without_looking
    Diagrams.all.each { |name, text| assert_match(%r{<title>\S[^<]+</title>}, text, name) }
  end

  def test_each_stands_in_a_guide
    pages = Dir[File.join(GUIDES, "*.md")].map { |path| File.read(path, encoding: "UTF-8") }.join
    Diagrams.all.each_key { |name| assert_match(/!\[[^\]]+\]\(diagrams\/#{Regexp.escape(name)}\)/, pages) }
  end

  def test_nothing_is_drawn_beyond_its_edge
    Diagrams.all.each do |name, text|
      width, height = text.match(/<svg [^>]*width="(\d+)" height="(\d+)"/).captures.map(&:to_i)
      bars = text.scan(/<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/)
      refute_empty bars
      bars.each do |bar|
        x, y, wide, high = bar.map(&:to_i)
        assert_operator x + wide, :<=, width, name
        assert_operator y + high, :<=, height, name
      end
    end
  end
end
