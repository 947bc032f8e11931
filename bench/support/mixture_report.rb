# frozen_string_literal: true

require "unicode_plot"
require_relative "mixture_race"
require_relative "table"

module Trunkline
  module Bench
    # Table and graph of long and short queries, from the rows of a race.
    class MixtureReport
      HEADERS = ["ratio", "long", "short", "blocking s", "non-blocking s", "advantage", "connections"].freeze
      TITLES = { cpu: "A long query uses the server's processor for 30 ms", wait: "A long query waits for 30 ms" }.freeze
      ACROSS = "short queries for each long one"
      UP = "advantage %"
      PLOT = { width: 60, height: 15, canvas: :braille, xlabel: ACROSS, ylabel: UP }.freeze
      private_constant :HEADERS, :TITLES, :PLOT

      # @param rows [Array<MixtureRace::Row>] measured
      def initialize(rows)
        @rows = rows.group_by(&:kind)
      end

      # @return [Array<Table>] one for each kind of long query
      def tables
        @rows.map { |kind, rows| Table.new(HEADERS, with_gaps(rows), title: TITLES.fetch(kind)) }
      end

      # @return [Hash{String => Array<Hash>}] title => curves, one for each number of long queries:
      #   name, and data as {"×2" => advantage in percent, ...}
      def curves
        curves = @rows.to_h { |kind, rows| [TITLES.fetch(kind), curves_of(rows.reject(&:loaded))] }
        curves.select { |_, lines| lines.all? { |line| line[:data].size > 1 } }
      end

      # @return [Array<String>] the curves, drawn with characters
      def plots(color: false) = curves.map { |title, lines| plot(title, lines, color) }

      private

      def with_gaps(rows)
        rows.slice_when { |one, other| one.multiplier != other.multiplier || one.loaded != other.loaded }
            .flat_map { |group| [*group.map { |row| cells(row) }, []] }[0...-1]
      end

      def cells(row)
        ["1/#{row.multiplier}#{" busy disk" if row.loaded}", row.long, row.short, format("%.2f", row.blocking),
         format("%.2f", row.fibers), format("%.1f%%", row.advantage), row.connections]
      end

      def curves_of(rows)
        rows.group_by(&:long).map do |long, line|
          { name: "#{long} long", data: line.to_h { |row| ["×#{row.multiplier}", row.advantage.round(1)] } }
        end
      end

      # Zero, unless the fibers lost somewhere.
      def lowest(lines) = [0, lines.flat_map { |line| line[:data].values }.min.floor(-1)].min

      # Multipliers stand at equal distances, as they do in the document's graph.
      def plot(title, lines, color)
        labels = lines.first[:data].keys
        places = labels.each_index.to_a
        first, *others = lines
        plot = UnicodePlot.lineplot(places, first[:data].values, name: first[:name], title: title, ylim: [lowest(lines), 100], **PLOT)
        others.each { |line| UnicodePlot.lineplot!(plot, places, line[:data].values, name: line[:name]) }
        plot.annotate!(:bl, labels.first)
        plot.annotate!(:br, labels.last)
        StringIO.new.tap { |out| plot.render(out, color: color, newline: false) }.string
      end
    end
  end
end
