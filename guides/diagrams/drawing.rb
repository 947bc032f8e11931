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

  def escape(words) = words.gsub("&", "&amp;").gsub("<", "&lt;").gsub(">", "&gt;")
end
