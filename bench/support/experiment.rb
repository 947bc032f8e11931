# frozen_string_literal: true

require_relative "comparison"
require_relative "figures"
require_relative "isolated"
require_relative "options"
require_relative "results"
require_relative "versions"
require_relative "servers/postgres_server"

module Trunkline
  module Bench
    # What each bench is beside its own idea: a private server with what it asks for, sides that are compared before they are timed,
    # and tables that go where the command line says.
    #
    #   class Types < Experiment
    #     def run
    #       times = comparing("pg" => peer("pg_typed_rows"), ...) { |comparison| comparison.measure(runs: @options.runs) }
    #       publish([table(times)], times)
    #     end
    #   end
    #
    #   Types.main(runs: 3)
    class Experiment
      include Figures

      # Does as the command line says.
      # @param known see {Options.parse}
      def self.main(**known) = Bench.main { new(Options.parse(ARGV, **known)).run }

      # @param options [Options]
      def initialize(options)
        @options = options
        @server = start
        fill
      end

      private

      # @return [Object] a private server
      def start = PostgresServer.start(settings: settings)

      # @return [Hash{String => Object}] the server's, over those of all
      def settings = {}

      # Makes what will be asked for.
      def fill = nil

      # @param name [String] of a file in peers/
      # @param options see {Isolated}
      # @return [Isolated] a side
      def peer(name, uri: @server.uri, **options) = Isolated.new(name, uri: uri, **options)

      # Has all sides say what they get, and ends them after the block.
      #
      # @param sides [Hash{String => Isolated}]
      # @param answers see {Comparison#check}
      # @yieldparam comparison [Comparison] to be timed
      # @return [Object] the block's value
      # @raise [RuntimeError] they do not say the same
      def comparing(sides, **answers)
        comparison = Comparison.new(@server, sides)
        comparison.check(**answers)
        yield comparison
      ensure
        comparison&.close
      end

      # @param tables [Array<Table, String>] see {Results#publish}
      # @param found [Hash] the same for machines
      # @param figures [Array<Hash>] see {Figures#figure}; with a table of their own, the last one
      def publish(tables, found, figures: [], curves: {})
        if figures.any?
          tables = [*tables, figures_table(figures)]
          found = { **found, figures: figures }
        end
        Results.new(Bench.program, @options, versions).publish(tables, found, curves: curves)
      end

      # @return [Float] of the machine's last minute, for a figure that tells how quiet it was; 0.0 where it is not told
      def load_average = File.exist?("/proc/loadavg") ? File.read("/proc/loadavg").to_f : 0.0

      # @return [Hash{String => String}] see {Versions}
      def versions = Versions.all(@server)
    end
  end
end
