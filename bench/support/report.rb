# frozen_string_literal: true

require "cgi"
require "chartkick"
require "fileutils"

module Trunkline
  module Bench
    # An HTML page of headings, texts, tables and charts in one file, its scripts included: it opens without a network.
    class Report
      include Chartkick::Helper

      SCRIPTS = %w[Chart.bundle.js chartkick.js].freeze
      STYLE = <<~CSS
        body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color: #222; }
        table { border-collapse: collapse; margin: 1em 0 2em; } th, td { padding: .15em 1em .15em 0; text-align: right; }
        th { border-bottom: 1px solid #999; } th:first-child, td:first-child { text-align: left; } td:empty { height: .7em; }
        .wide { overflow-x: auto; } td.sentence { text-align: left; min-width: 12em; }
        nav { columns: 10em; margin: 1em 0; } nav a { display: block; } section { border-top: 1px solid #ccc; margin-top: 2em; }
        .met { color: #1a7f37; } .missed { color: #b3261e; font-weight: bold; } footer { color: #777; font-size: 85%; }
      CSS
      # Of the project's own bars, and of the others'.
      OWN_COLOR = "#1f6feb"
      OTHER_COLOR = "#9aa0a6"
      SENTENCE = 15 # characters from which on a cell is read as text, and stands on the left
      private_constant :SCRIPTS, :STYLE, :OWN_COLOR, :OTHER_COLOR, :SENTENCE

      # @param title [String]
      def initialize(title)
        @title = title
        @sections = []
        @parts = []
      end

      # Begins a part of the page that its contents list.
      # @param words [String]
      # @return [Report] self, as all that add something
      def section(words)
        @sections << words
        add("<section id=\"#{escape(words)}\"><h1>#{escape(words)}</h1></section>")
      end

      def text(words) = add("<p>#{escape(words)}</p>")

      # @param table [Table]
      def table(table)
        head = table.headers.map { |header| "<th>#{escape(header)}</th>" }
        body = table.rows.map { |row| "<tr>#{(row.empty? ? [""] : row).map { |cell| cell(cell) }.join}</tr>" }
        heading(table.title).add("<div class=\"wide\"><table><tr>#{head.join}</tr>#{body.join("\n")}</table></div>")
        table.drawn ? bars(nil, table.bars, xtitle: table.drawn) : self
      end

      # @param curves [Array<Hash>] name and data ({label => number}) of each
      # @param options of Chartkick, e.g. ytitle: "seconds"
      def lines(title, curves, **options)
        heading(title).add(line_chart(curves, curve: false, legend: "bottom", **options))
      end

      # @param bars [Hash{String => Numeric}]
      def bars(title, bars, **options)
        colors = bars.keys.map { |side| side.to_s.include?("Trunkline") ? OWN_COLOR : OTHER_COLOR }
        heading(title).add(bar_chart(bars, height: "#{60 + (bars.size * 40)}px", dataset: { backgroundColor: colors, borderColor: colors }, **options))
      end

      # @param path [String] file to write; its folder is made
      # @param footer [String]
      # @return [String] the path
      def write(path, footer:)
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, page(footer))
        path
      end

      protected

      def add(html)
        @parts << html
        self
      end

      private

      def contents
        links = @sections.map { |words| "<a href=\"##{escape(words)}\">#{escape(words)}</a>" }
        "<nav>#{links.join}</nav>" if links.any?
      end

      def cell(words)
        return "<td class=\"#{words}\">#{words}</td>" if %w[met missed].include?(words)

        words.to_s.size < SENTENCE ? "<td>#{escape(words)}</td>" : "<td class=\"sentence\">#{escape(words)}</td>"
      end

      def heading(words) = words ? add("<h2>#{escape(words)}</h2>") : self

      def escape(words) = CGI.escapeHTML(words.to_s)

      def page(footer)
        <<~HTML
          <!DOCTYPE html>
          <html lang="en">
          <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>#{escape(@title)}</title><style>#{STYLE}</style>
          #{SCRIPTS.map { |name| "<script>#{script(name)}</script>" }.join("\n")}
          </head>
          <body><h1>#{escape(@title)}</h1>
          #{contents}
          #{@parts.join("\n")}
          <footer>#{escape(footer)}</footer></body>
          </html>
        HTML
      end

      def script(name)
        File.read(File.join(Gem.loaded_specs.fetch("chartkick").full_gem_path, "vendor/assets/javascripts", name), encoding: "UTF-8")
      end
    end
  end
end
