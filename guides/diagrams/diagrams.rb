# frozen_string_literal: true

require_relative "drawing"
require_relative "state_diagrams"

# The diagrams of the guides. `ruby guides/diagrams/diagrams.rb` writes them anew, beside this file.
module Diagrams
  FOLDER = __dir__
  WAITS, TRAVELS, RUNS, LONG, PINNED = "#d5dbe1", "#a9cdf0", "#2f6fb0", "#e0a045", "#8fc79a"
  LIGHT = "#ffffff"
  # Of a query, in units of time: there, on the server, back.
  THERE, SERVER, BACK = 2, 1, 2
  CALLERS = %w[A B C].freeze
  LEFT, UNIT, BAR, LANE = 130, 36, 22, 30
  private_constant :WAITS, :TRAVELS, :RUNS, :LONG, :PINNED, :LIGHT, :THERE, :SERVER, :BACK, :CALLERS, :LEFT, :UNIT, :BAR, :LANE

  module_function

  # @return [Hash{String => String}] name of the file => its text
  def all
    { "sharing.svg" => sharing, "leading.svg" => leading, "long-and-short.svg" => long_and_short, "pinning.svg" => pinning, "failover.svg" => failover,
      **StateDiagrams.all }.transform_values(&:to_s)
  end

  def write = all.each { |name, text| File.write(File.join(FOLDER, name), text) }

  # Three queries over one connection: out of a pool, and shared.
  def sharing
    drawing = Drawing.new("Three queries over one connection: from a pool one after the other, shared all at once", 700, 330)
    drawing.text(10, 24, "One connection in a pool: 15 units of time", bold: true)
    CALLERS.each_with_index { |name, index| query(drawing, 40 + index * LANE, name, begins: index * (THERE + SERVER + BACK), turn: 0) }
    drawing.text(10, 164, "The same connection, shared: 7 units of time", bold: true)
    CALLERS.each_with_index { |name, index| query(drawing, 180 + index * LANE, name, begins: 0, turn: index) }
    drawing.legend(LEFT, 304, [[WAITS, "waits", 80], [TRAVELS, "on the network", 140], [RUNS, "runs on the server", 160]])
    drawing
  end

  # One caller's query.
  #
  # @param begins [Integer] when it gets the connection; until then its caller waits
  # @param turn [Integer] how many queries the server answers before it
  def query(drawing, y, name, begins:, turn:)
    drawing.text(10, y + 16, "caller #{name}")
    segments = [[begins, WAITS], [THERE, TRAVELS], [turn * SERVER, WAITS], [SERVER, RUNS], [BACK, TRAVELS]].reject { |width, _| width.zero? }
    segments.reduce(0) do |from, (width, fill)|
      drawing.bar(LEFT + from * UNIT, y, width * UNIT, BAR, fill)
      from + width
    end
  end

  # Three callers that wait for answers over one connection.
  def leading
    drawing = Drawing.new("Caller A leads until it has its answer, then caller C, the newest that sleeps; caller B is woken with its answer", 700, 196)
    lanes(drawing, ["answers", "caller A", "caller B", "caller C"])
    [["A", 5], ["B", 9], ["C", 12]].each { |name, time| drawing.bar(at(time), lane(0), 2 * UNIT - 2, BAR, TRAVELS, "of #{name}") }
    phases(drawing, 1, [["leads: reads for all", 7, RUNS], ["continues", 8, PINNED]])
    phases(drawing, 2, [["sleeps", 10, WAITS], ["continues", 4, PINNED]], from: 1)
    phases(drawing, 3, [["sleeps", 5, WAITS], ["leads", 7, RUNS], ["", 1, PINNED]], from: 2)
    drawing.line(at(7), lane(0), at(7), lane(4) - 4, dashed: true)
    drawing.text(at(7), lane(4) + 10, "A has its answer, and wakes C, the newest that sleeps", anchor: "middle")
    drawing.legend(LEFT, 180, [[RUNS, "leads", 80], [WAITS, "sleeps", 90], [PINNED, "has its answer", 130], [TRAVELS, "an answer comes in", 160]])
    drawing
  end

  # Reports and short queries with `connections: 2`.
  def long_and_short
    drawing = Drawing.new("A report has a connection for itself, short queries go over another, and a third is opened for a second report", 700, 190)
    lanes(drawing, ["connection 1", "connection 2", "connection 3"])
    drawing.bar(at(1), lane(0), 12 * UNIT, BAR, LONG, "first report")
    drawing.bar(at(4), lane(2), 11 * UNIT, BAR, LONG, "second report: opened for it")
    shorts(drawing, 0, [0])
    shorts(drawing, 1, 0..14)
    drawing.text(at(0), 118, "Connection 2 is the last that is not busy with a report: no report goes there.")
    drawing.text(at(0), 138, "Short queries never stand behind a report that is known to be long.")
    drawing.legend(LEFT, 172, [[RUNS, "short queries of many callers", 230], [LONG, "a long query", 120]])
    drawing
  end

  # A transaction beside other callers' queries.
  def pinning
    drawing = Drawing.new("A transaction has connection 1 from its first query to COMMIT; other callers' queries go over connection 2", 700, 170)
    lanes(drawing, ["connection 1", "connection 2"])
    shorts(drawing, 0, [0, 1, 13, 14])
    drawing.bar(at(2), lane(0), 11 * UNIT, BAR, PINNED)
    [["BEGIN, UPDATE", 2, 4], ["UPDATE", 8, 2], ["COMMIT", 11, 2]].each do |label, from, width|
      drawing.bar(at(from), lane(0), width * UNIT - 2, BAR, RUNS, label, ink: LIGHT)
    end
    shorts(drawing, 1, 0..14)
    drawing.text(at(0), 92, "Between its statements the transaction's program works. Another caller's query")
    drawing.text(at(0), 112, "on connection 1 would become part of the transaction there.")
    drawing.legend(LEFT, 148, [[RUNS, "queries", 100], [PINNED, "pinned: no other caller's query goes here", 300]])
    drawing
  end

  # A primary that goes away while two callers write.
  def failover
    drawing = Drawing.new("A primary goes away: what was sent to it is Indeterminate, what was not sent waits for the promoted standby", 700, 240)
    lanes(drawing, ["server one", "server two", "caller A", "caller B", "questions"])
    phases(drawing, 0, [["primary", 4, RUNS], ["away", 11, WAITS]])
    phases(drawing, 1, [["standby", 9, TRAVELS], ["primary", 6, RUNS]])
    phases(drawing, 2, [["write, sent", 2, LONG], ["Indeterminate", 4, WAITS]], from: 2)
    phases(drawing, 3, [["not sent: waits", 5, WAITS], ["write", 2, RUNS]], from: 5)
    (5..9).each { |time| drawing.bar(at(time) + 12, lane(4), 12, BAR, PINNED) }
    drawing.line(at(9), lane(0), at(9), lane(5) - 8, dashed: true)
    drawing.text(at(9), lane(5) + 8, "server two is promoted", anchor: "middle")
    drawing.legend(LEFT, 224, [[PINNED, "polls server two every 0.1 s for its promotion", 350], [WAITS, "away, or waits", 120]])
    drawing
  end

  # Bars one behind the other.
  #
  # @param from [Integer] when the first begins
  def phases(drawing, index, phases, from: 0)
    phases.each do |label, width, fill|
      drawing.bar(at(from), lane(index), width * UNIT - 2, BAR, fill, label, **(fill == RUNS ? { ink: LIGHT } : {}))
      from += width
    end
  end

  def lanes(drawing, names)
    names.each_with_index { |name, index| drawing.text(10, lane(index) + 16, name) }
  end

  def shorts(drawing, index, times)
    times.each { |time| drawing.bar(at(time) + 4, lane(index), UNIT - 8, BAR, RUNS) }
  end

  def at(time) = LEFT + time * UNIT
  def lane(index) = 14 + index * LANE
  private_class_method :sharing, :query, :leading, :long_and_short, :pinning, :failover, :phases, :lanes, :shorts, :at, :lane
end

Diagrams.write if $PROGRAM_NAME == __FILE__
