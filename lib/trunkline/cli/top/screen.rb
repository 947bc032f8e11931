# frozen_string_literal: true

require "trunkline"

module Trunkline
  module CLI
    class Top
      # Formats two snapshots of a process as lines of text.
      class Screen # :nodoc:
        # Columns for the SQL at least, a bound: a narrower terminal cuts the figures.
        NARROWEST = 20
        HEADING = ["calls/s", "mean", "p99", "wait", "long", "load"].map { |word| word.rjust(9) }.join
        private_constant :NARROWEST, :HEADING

        # @param width [Integer] of the lines, in columns
        # @param height [Integer] the most lines
        def initialize(width, height)
          @width = width
          @height = height
        end

        # @param before [Hash] as {Snapshot.take} returns it
        # @param now [Hash] the same, later
        # @return [Array<String>]
        def lines(before, now)
          seconds = now[:at] - before[:at]
          lines = ["trunkline top: process #{now[:pid]}, the last #{format("%.1f", seconds)} s", ""]
          now[:clients].each { |client| lines.concat(client_lines(client, before[:clients].find { |other| other[:server] == client[:server] } || client, seconds)) }
          lines.first(@height).map { |line| TerminalText.cut(line, @width) }
        end

        private

        def client_lines(now, before, seconds)
          [clean(now[:server]), *wrapped(connections(now)), *wrapped(transfers(now, before, seconds)), *hosts(now), *replicas(now), *statements(now, before, seconds), ""]
        end

        def connections(now)
          queue = now[:queue]
          ["connections #{now[:open]} (#{now[:busy]} busy, #{now[:pinned]} pinned, #{now[:opening]} opening)", "in flight #{now[:in_flight]}",
           "backlog #{duration(now[:backlog])}", "waiting #{queue[:to_share]} to share, #{queue[:to_pin]} to pin"]
        end

        def transfers(now, before, seconds)
          rose = ->(name) { now[name] - before[name] }
          requests = rose[:requests]
          ["requests #{number(requests / seconds)}/s", "#{ratio(requests, rose[:writes])} a write", "#{ratio(requests, rose[:reads])} a read",
           *("switches #{now[:switches]}" if several_hosts?(now)), "lost #{now[:lost]}", "reconnects #{now[:reconnects]}", "cancelled #{now[:cancelled]}", "quarantined #{now[:quarantined]}"]
        end

        def several_hosts?(now) = (now[:hosts] || []).size > 1

        def hosts(now)
          return [] unless several_hosts?(now)

          now[:hosts].flat_map { |host| wrapped([clean(host[:server]), *host_facts(host)]) }
        end

        def host_facts(host)
          connections = "connections #{host[:open]}" if host[:ago]
          role = [host[:role], ("timeline #{host[:timeline]}" if host[:timeline])].compact.join(", ")
          trouble = "#{"tried last: " if host[:avoided]}#{clean(host[:error])}, #{duration(host[:ago])} ago" if host[:error]
          [connections || "not tried yet", *(role unless role.empty?), *trouble]
        end

        def replicas(now)
          (now[:replicas] || []).reject { |replica| replica[:role] == "primary" }.flat_map do |replica|
            facts = ["share #{(replica[:share] * 100).round} %", ("behind #{duration(replica[:lag])}" if replica[:lag]), ("p99 #{duration(replica[:p99])}" if replica[:p99])]
            facts << "hedged #{replica[:hedged]}, won #{replica[:won]}" if replica[:hedged].to_i.positive?
            wrapped(["replica #{clean(replica[:server])}", "reads #{replica[:reads]}", *facts.compact, *("left alone" if replica[:avoided])])
          end
        end

        # Facts that do not fit a line continue on the next.
        #
        # @return [Array<String>]
        def wrapped(facts)
          facts.each_with_object([]) do |fact, lines|
            longer = lines.any? && "#{lines.last}   #{fact}"
            longer && TerminalText.width(longer) <= @width ? lines[-1] = longer : lines << "#{" " * (lines.empty? ? 2 : 4)}#{fact}"
          end
        end

        # Statements with the most server time in between come first.
        def statements(now, before, seconds)
          return [] unless now[:statements]

          rows = now[:statements].map { |statement| row(statement, before[:statements].find { |other| other[:sql] == statement[:sql] }, seconds) }
          rows = rows.reject { |row| row[:calls].zero? }.sort_by { |row| [-row[:load], row[:sql]] }
          ["  #{"statement".ljust(room)}#{HEADING}", *rows.map { |row| statement_line(row) }]
        end

        def row(now, before, seconds)
          before ||= { count: 0, mean: 0 }
          spent = (now[:count] * now[:mean]) - (before[:count] * before[:mean])
          { **now.slice(:sql, :mean, :p99, :wait, :long), calls: (now[:count] - before[:count]) / seconds, load: [spent, 0].max / seconds }
        end

        def statement_line(row)
          figures = [number(row[:calls]), *row.values_at(:mean, :p99, :wait).map { |seconds| duration(seconds) }, percent(row[:long]), format("%.2f", row[:load])]
          "  #{TerminalText.fill(clean(row[:sql]), room - 1)} #{figures.map { |figure| figure.rjust(9) }.join}"
        end

        def room = [@width - HEADING.size - 2, NARROWEST].max

        # Removes characters that could control the terminal.
        def clean(text) = text.gsub(/[[:space:]]+/, " ").gsub(/[^[:print:]]/, "?").strip

        def number(value) = value < 10 ? format("%.1f", value) : value.round.to_s
        def ratio(requests, transfers) = transfers.positive? ? format("%.1f", requests.to_f / transfers) : "-"

        def percent(part) = "#{(part * 100).round} %"

        def duration(seconds)
          return format("%.1f s", seconds) if seconds >= 1

          seconds >= 0.001 ? format("%.1f ms", seconds * 1e3) : format("%.0f us", seconds * 1e6)
        end
      end
    end
  end
end
