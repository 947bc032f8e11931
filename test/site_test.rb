# frozen_string_literal: true

require "test_helper"
require "json"
require "nokogiri"
require "support/browser"
require_relative "../rakelib/site"

# The site opens from the file system, without a network: each page in a browser, wide and narrow.
class SiteTest < Trunkline::TestCase
  WIDTHS = [1200, 360].freeze
  # A page of the test's own may look into those of the site.
  TOGETHER = ["--allow-file-access-from-files"].freeze
  # Shows one page after the other in a frame of each width, and notes those that are wider than their frame.
  FRAMES = <<~HTML
    <!DOCTYPE html><body><script>
    const pages = %<pages>s, widths = %<widths>s, wide = [];
    let seen = 0;
    function show(page, width) {
      return new Promise((done) => {
        const frame = document.createElement("iframe");
        frame.width = width;
        frame.onload = () => {
          const root = frame.contentDocument.documentElement;
          if (root.scrollWidth > width) wide.push(page + " at " + width + ": " + root.scrollWidth);
          if (frame.contentDocument.querySelector("h1")) seen += 1;
          frame.remove();
          done();
        };
        frame.src = page;
        document.body.append(frame);
      });
    }
    (async () => {
      for (const page of pages) for (const width of widths) await show(page, width);
      document.body.dataset.result = JSON.stringify({ wide: wide, seen: seen });
    })();
    </script></body>
  HTML
  private_constant :WIDTHS, :TOGETHER, :FRAMES

  def self.folder = @folder ||= File.dirname(Site.new.write)

  def test_each_page_in_a_browser
    html, console = in_frames { |page| Browser.open("file://#{page}", time: 60_000, options: TOGETHER) }
    assert_equal({ "wide" => [], "seen" => pages.size * WIDTHS.size }, JSON.parse(Nokogiri::HTML5(html).at("body")["data-result"]))
    assert_empty console
  end

  def test_the_search_finds_sections
    html, console = Browser.open("file://#{folder}/guides/types.html?q=copy%20stdin", time: 2_000)
    found = Nokogiri::HTML5(html).css("#found a")
    assert_empty console
    assert_includes found.map { |link| link["href"].split("#").first }, "../guides/streaming-copy-and-listen.html"
    found.each { |link| assert anchor?(File.expand_path(link["href"], "#{folder}/guides")), link["href"] }
  end

  def test_what_is_not_there_is_said
    html, = Browser.open("file://#{folder}/index.html?q=xyzzy%3Cb%3E", time: 2_000)
    assert_equal "Nothing found", Nokogiri::HTML5(html).at("#found").text
  end

  def test_each_link_leads_somewhere
    lost = pages.flat_map do |page|
      document(page).css("[href], [src]").map { |node| node["href"] || node["src"] }.grep_v(/\A[a-z]+:/)
                    .reject { |link| anchor?(link.start_with?("#") ? page + link : File.expand_path(link, File.dirname(page))) }.map { |link| "#{page}: #{link}" }
    end
    assert_empty lost
  end

  def test_the_reference_opens
    html, console = Browser.open("file://#{folder}/reference/Trunkline.html", time: 2_000)
    assert_includes Nokogiri::HTML5(html).at("h1").text, "Trunkline"
    assert_empty console
  end

  private

  def folder = self.class.folder

  # @return [Array<String>] what is written with the site's own layout
  def pages = Dir[File.join(folder, "**/*.html")].reject { |path| path.start_with?("#{folder}/reference/") || path.end_with?("/report.html") }.sort

  def in_frames
    Dir.mktmpdir do |outside|
      page = File.join(outside, "frames.html")
      File.write(page, format(FRAMES, pages: JSON.generate(pages.map { |path| "file://#{path}" }), widths: JSON.generate(WIDTHS)))
      yield page
    end
  end

  def anchor?(link)
    path, anchor = link.split("#", 2)
    File.file?(path) && (anchor.nil? || anchors(path).include?(anchor))
  end

  def anchors(path)
    (@anchors ||= {})[path] ||= document(path).css("[id], [name]").flat_map { |node| [node["id"], node["name"]] }.to_set
  end

  def document(path) = (@documents ||= {})[path] ||= Nokogiri::HTML5(File.read(path, encoding: "UTF-8"))
end
