# frozen_string_literal: true

# One SVG picture of lanes over time: bars with labels, arrows between lanes, captions. Coordinates are pixels from the upper left corner.
# The background is painted, so that it can be read on a dark page too.
class Drawing
  FONT = "font-family=\"system-ui, sans-serif\" font-size=\"13\""
  INK = "#1f2933"
  private_constant :FONT, :INK

  # @param title [String] what a screen reader says of it
  # @param width [Integer]
  # @param height [Integer]
  def initialize(title, width, height)
    @title, @width, @height = title, width, height
    @elements = []
  end

  # @param anchor [String] which end of the text stands at x: start, middle or end
  # @param bold [Boolean]
  def text(x, y, words, anchor: "start", bold: false, fill: INK)
    @elements << "<text x=\"#{x}\" y=\"#{y}\" text-anchor=\"#{anchor}\" fill=\"#{fill}\"#{" font-weight=\"600\"" if bold}>#{escape(words)}</text>"
  end

  # A bar, with its label in the middle.
  #
  # @param label [String, nil]
  def bar(x, y, width, height, fill, label = nil, ink: INK)
    @elements << "<rect x=\"#{x}\" y=\"#{y}\" width=\"#{width}\" height=\"#{height}\" rx=\"3\" fill=\"#{fill}\"/>"
    text(x + width / 2, y + height / 2 + 5, label, anchor: "middle", fill: ink) if label
  end

  # @param dashed [Boolean]
  def line(x1, y1, x2, y2, dashed: false)
    @elements << "<line x1=\"#{x1}\" y1=\"#{y1}\" x2=\"#{x2}\" y2=\"#{y2}\" stroke=\"#{INK}\"#{" stroke-dasharray=\"4 4\"" if dashed}/>"
  end

  # A line through points, each right above, below or beside the one before, with a head at its end.
  #
  # @param points [Array<Array(Integer, Integer)>] two at least
  # @param label [String, nil] stands above the line's last piece, or beside it where that one is upright
  # @param from [Integer, nil] where the label begins on that piece, from its left or upper end
  def arrow(*points, label: nil, from: 8)
    @elements << "<polyline points=\"#{points.map { |point| point.join(",") }.join(" ")}\" fill=\"none\" stroke=\"#{INK}\"/>"
    (x1, y1), (x2, y2) = points.last(2)
    head(x2, y2, x2 <=> x1, y2 <=> y1)
    return unless label

    y1 == y2 ? text([x1, x2].min + from, y2 - 5, label) : text(x2 + 6, [y1, y2].min + from + 12, label)
  end

  # Colours and what they stand for, in one row.
  #
  # @param entries [Array<Array(String, String, Integer)>] colour, words, and the width that the entry takes
  def legend(x, y, entries)
    entries.each do |fill, words, width|
      bar(x, y - 11, 14, 14, fill)
      text(x + 20, y, words)
      x += width
    end
  end

  # @return [String]
  def to_s
    <<~SVG
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 #{@width} #{@height}" width="#{@width}" height="#{@height}" role="img" #{FONT}>
      <title>#{escape(@title)}</title>
      <rect width="#{@width}" height="#{@height}" fill="#ffffff"/>
      #{@elements.join("\n")}
      </svg>
    SVG
  end

  private

  # A triangle whose tip is at x and y.
  #
  # @param right [Integer] 1: it points to the right, -1: to the left
  # @param down [Integer] 1: it points down, -1: up
  def head(x, y, right, down)
    base_x, base_y = x - 8 * right, y - 8 * down
    @elements << "<polygon points=\"#{x},#{y} #{base_x + 4 * down},#{base_y + 4 * right} #{base_x - 4 * down},#{base_y - 4 * right}\" fill=\"#{INK}\"/>"
  end

  def escape(words) = words.gsub("&", "&amp;").gsub("<", "&lt;").gsub(">", "&gt;")
end
