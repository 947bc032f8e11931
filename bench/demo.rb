# frozen_string_literal: true

# What Trunkline is for, in two minutes: long and short queries mixed, from a caller that blocks and from fibers, as "Faster IO for
# Ruby with Postgres" measured it in 2008; and how many queries a thousand fibers send over four connections.

require_relative "support/bench"
require_relative "support/mixture_race"
require_relative "support/mixture_report"
require_relative "support/progress"
require_relative "support/report"

module Trunkline
  module Bench
    class Demo < Experiment
      BANNER = "Usage: bin/demo [LONG] [MULTIPLIER] [options]\n\n" \
               "Without numbers: the whole table. With them: LONG times a long query and MULTIPLIER (10) short ones."
      TABLE_SECONDS = 85 # for the whole table, of the two minutes that a demo may take
      ROWS = 200_000     # of the table for selects by primary key
      SELECT_SECONDS = 1.5
      THREADS = "pg, 16 threads"
      FIBERS = "Trunkline, 1000 fibers"
      PAGE = File.join(Results::FOLDER, "demo.html")
      TITLE = "Many callers, a few connections"
      BLOCKING = "Blocking: one caller sends a query over its connection by the pg gem, waits for the answer, and sends the next. Non-blocking: " \
                 "fibers of one thread do the same side by side, and share #{MixtureRace::CONNECTIONS} connections."
      private_constant :TABLE_SECONDS, :ROWS, :SELECT_SECONDS, :THREADS, :FIBERS, :PAGE, :TITLE, :BLOCKING

      # @param options [Options] whose arguments are numbers of queries
      def initialize(options)
        @long, @multiplier = options.arguments.map { |argument| positive(argument) }
        super
      end

      def run
        mixture = MixtureReport.new(race)
        selects = measure_selects
        tables = [*mixture.tables, SelectsTable.of(selects)]
        show(mixture, selects, tables)
      end

      private

      def settings = Mixture::SETTINGS

      def positive(argument)
        number = Integer(argument, exception: false)
        number&.positive? ? number : abort("#{argument.inspect} is not a number of queries\n#{BANNER}")
      end

      def race
        race = MixtureRace.new(@server)
        @rows = @long ? race.single_rows(@long, @multiplier || 10) : race.whole_table(TABLE_SECONDS)
        with_progress(@rows) { |row| race.run(row) }
      ensure
        race&.close
      end

      def with_progress(rows)
        progress = Progress.new(rows.sum(&:long))
        progress.advance(0, "Long and short queries")
        rows.each do |row|
          yield row
          progress.advance(row.long, "Long and short queries")
        end
      end

      def measure_selects
        Accounts.fill(@server, ROWS)
        sides = { THREADS => peer("pg_selects", rows: ROWS, threads: 16),
                  FIBERS => peer("trunkline_fiber_selects", rows: ROWS, callers: 1000, connections: 4) }
        comparing(sides, ids: Accounts.ids(1000, ROWS)) { |comparison| comparison.rates(runs: @options.runs, seconds: SELECT_SECONDS) }
      end

      def show(mixture, selects, tables)
        shown = [*mixture.tables, *mixture.plots(color: $stdout.tty?), tables.last]
        puts conclusion(selects), BLOCKING, "" unless @options.json
        publish(shown, { rows: @rows.map(&:to_h), selects: selects }, curves: mixture.curves)
        page = write_page(mixture, tables)
        puts "", "Charts: #{page}" unless @options.json
      end

      def conclusion(selects)
        faster = selects[FIBERS][:rate] / selects[THREADS][:rate]
        cheaper = selects[THREADS][:cpu_each] / selects[FIBERS][:cpu_each]
        format("1000 fibers over 4 connections: %.1f times the queries of 16 threads over 16, " \
               "for 1/%.1f of the client's processor time a query.", faster, cheaper)
      end

      def write_page(mixture, tables)
        report = Report.new(TITLE).text(BLOCKING)
        axes = { max: 100, xtitle: MixtureReport::ACROSS, ytitle: MixtureReport::UP }
        mixture.curves.each { |title, curves| report.lines(title, curves, **axes) }
        tables.each { |table| report.table(table) }
        report.write(PAGE, footer: Versions.line(@server))
      end
    end
  end
end

Trunkline::Bench::Demo.main(banner: Trunkline::Bench::Demo::BANNER)
