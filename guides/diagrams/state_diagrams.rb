# frozen_string_literal: true

require_relative "drawing"

# The states of requests, connections and cancels, as they are told in "How it is built".
module StateDiagrams
  GOES_ON, ENDS = "#a9cdf0", "#d5dbe1"
  HEIGHT = 30
  # The states in which a request ends, and what leads there from being in flight.
  OUTCOMES = { "answered" => "its answer is complete", "lost" => "the connection ends", "withdrawn" => "deadline or cancel, not written yet",
               "abandoned" => "deadline or cancel, written already" }.freeze
  private_constant :GOES_ON, :ENDS, :HEIGHT, :OUTCOMES

  module_function

  # @return [Hash{String => Drawing}] by the names of their files
  def all = { "request-states.svg" => request, "connection-states.svg" => connection, "cancel-states.svg" => cancel }

  def request
    drawing = Drawing.new("States of a request: made, in flight, and then answered, lost, withdrawn, abandoned or expired", 700, 216)
    state(drawing, 10, 14, 80, "made")
    state(drawing, 190, 14, 90, "in flight")
    drawing.arrow([90, 29], [190, 29], label: "submit", from: 20)
    OUTCOMES.each_with_index do |(name, cause), index|
      y = 29 + index * 40
      state(drawing, 570, y - 15, 110, name, ENDS)
      drawing.arrow(*(index.zero? ? [[280, 29]] : [[300, 29], [300, y]]), [570, y], label: cause, from: index.zero? ? 28 : 8)
    end
    state(drawing, 570, 174, 110, "expired", ENDS)
    drawing.arrow([50, 44], [50, 189], [570, 189], label: "deadline in the queue: nothing was sent", from: 258)
    drawing
  end

  def connection
    drawing = Drawing.new("States of a connection: opening, shared, draining, pinned, spare, retiring, closed, and from each of them lost", 790, 310)
    { "opening" => [10, 30, 90], "shared" => [210, 30, 140], "draining" => [210, 120, 80], "pinned" => [210, 210, 140], "spare" => [450, 210, 110],
      "retiring" => [510, 30, 90] }.each { |name, (x, y, width)| state(drawing, x, y, width, name) }
    { "closed" => [700, 30], "lost" => [700, 265] }.each { |name, (x, y)| state(drawing, x, y, 80, name, ENDS) }
    open_and_pin(drawing)
    give_back(drawing)
    drawing.text(210, 285, "any state")
    drawing.arrow([275, 280], [700, 280], label: "the server hangs up, a protocol or socket error, a leak", from: 10)
    drawing
  end

  def open_and_pin(drawing)
    drawing.arrow([100, 45], [210, 45], label: "to be shared")
    drawing.arrow([55, 60], [55, 225], [210, 225], label: "for a session", from: 30)
    drawing.arrow([230, 60], [230, 120], label: "drain", from: 2)
    drawing.arrow([275, 120], [275, 60], label: "give up", from: 26)
    drawing.arrow([230, 150], [230, 210], label: "answered", from: 14)
    drawing.arrow([341, 60], [341, 210], label: "reserve", from: 60)
  end

  def give_back(drawing)
    drawing.arrow([350, 220], [450, 220], label: "give back", from: 20)
    drawing.arrow([450, 235], [350, 235])
    drawing.text(372, 252, "take")
    drawing.arrow([470, 210], [470, 54], [350, 54])
    drawing.text(390, 70, "release")
    drawing.arrow([350, 38], [510, 38], label: "old, idle, disconnect", from: 20)
    drawing.arrow([535, 210], [535, 60], label: "old, idle, disconnect", from: 60)
    drawing.arrow([600, 45], [700, 45], label: "all answered")
  end

  def cancel
    drawing = Drawing.new("States of a connection while its request is cancelled: open, cancelling, exposed, fenced, and open again", 790, 190)
    ["open", "cancelling", "exposed", "fenced"].each_with_index { |name, index| state(drawing, 10 + index * 220, 50, 100, name) }
    ["begin_cancel", "aim", "fence_off"].each_with_index { |cause, index| drawing.arrow([110 + index * 220, 65], [230 + index * 220, 65], label: cause, from: 14) }
    drawing.arrow([720, 50], [720, 24], [80, 24], [80, 50])
    drawing.text(310, 18, "the fence is answered")
    drawing.arrow([280, 80], [280, 124], [60, 124], [60, 80])
    drawing.text(74, 118, "nothing to cancel any more")
    state(drawing, 450, 140, 220, "sealed: retires and is replaced", ENDS)
    drawing.arrow([500, 80], [500, 140], label: "the caller is interrupted", from: 20)
    drawing
  end

  def state(drawing, x, y, width, name, fill = GOES_ON) = drawing.bar(x, y, width, HEIGHT, fill, name)
  private_class_method :request, :connection, :open_and_pin, :give_back, :cancel, :state
end
