# frozen_string_literal: true

require_relative "bench_run"
require_relative "missed_figures"
require_relative "report"
require_relative "results"
require_relative "saved_results"
require_relative "table"

module Trunkline
  module Bench
    # One page of all saved results, and of nothing else: what it shows is what the files say. Each figure that was promised is on top, with what
    # was measured and whether that is enough.
    class ResultsPage
      PATH = File.join(Results::FOLDER, "report.html")
      INTRODUCTION = "All figures that the benches have saved in bench/results, each with the versions it was measured with. Where several sides " \
                     "are compared, Trunkline's bars are blue. Each figure that misses its bound has the reason beside it."
      HEADERS = ["bench", "figure", "measured", "wanted", "met", "why not"].freeze
      MET = HEADERS.index("met")
      BENCHES = File.expand_path("..", __dir__)
      private_constant :INTRODUCTION, :HEADERS, :MET, :BENCHES

      # @param results [Array<SavedResults>]
      # @param missed [MissedFigures]
      def initialize(results = SavedResults.all, missed = MissedFigures.new(results))
        @results = results
        @missed = missed
      end

      # @return [Table] all figures of which something was wanted
      def summary
        rows = @results.flat_map { |saved| rows(saved).map { |row| [saved.name, *row] } }
        Table.new(HEADERS, rows.reject { |row| row[MET].empty? })
      end

      # @param path [String] file to write
      # @return [String] the path
      def write(path = PATH)
        report.write(path, footer: "Made from #{@results.size} saved results.")
      end

      private

      def rows(saved) = saved.figures.map { |figure| [*figure.to_a, met(figure), @missed.reason(saved.name, figure)] }

      def met(figure)
        case figure.met?
        when nil then ""
        when true then "met"
        else "missed"
        end
      end

      def report
        summary = self.summary
        met = summary.rows.count { |row| row[MET] == "met" }
        page = Report.new("Trunkline, measured").text(INTRODUCTION).text("#{met} of #{summary.rows.size} figures meet what was wanted.").table(summary)
        @results.each { |saved| add(page, saved) }
        page
      end

      def add(page, saved)
        page.section(saved.name).text(purpose(saved.name))
        saved.tables.each { |table| curves?(table) ? page.lines(table.title, curves(table)).table(Table.new(table.headers, table.rows)) : page.table(table) }
        page.table(Table.new(HEADERS.drop(1), rows(saved), title: "Figures")) if saved.figures.any?
        page.text(saved.versions)
      end

      def purpose(name)
        bench = File.join(BENCHES, "#{name}.rb")
        File.file?(bench) ? BenchRun.new(bench).purpose : ""
      end

      # Are its columns numbers of clients or requests, and its rows the sides?
      def curves?(table) = table.headers.drop(1).all? { |header| header.match?(/\A\d+\z/) }

      def curves(table)
        table.rows.map { |side, *cells| { name: side, data: table.headers.drop(1).zip(cells).to_h.transform_values { |cell| Float(cell.delete(","), exception: false) }.compact } }
      end
    end
  end
end
