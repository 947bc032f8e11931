# frozen_string_literal: true

require_relative "../../open_range"

module Trunkline
  module Postgres
    class Types
      # Ranges of any type: Ruby's Range if possible, else {OpenRange}.
      class RangeKind # :nodoc:
        TEXT = /([\[(])(?:"((?:[^"\\]++|""|\\.)*+)"|([^",()\[\]\\]*+)),(?:"((?:[^"\\]++|""|\\.)*+)"|([^",()\[\]\\]*+))([\])])/m
        WHOLE = /\A#{TEXT}\z/m
        OBJECT = 96 # bytes of an OpenRange and its slot in an Array; a Range has 40
        private_constant :TEXT, :WHOLE, :OBJECT

        # @param bound [Entry] the type of the bounds
        def initialize(bound)
          @bound = bound
        end

        # @param text [String] as the server writes it
        # @param memory [RowMemory] of the value's row
        # @return [Range, OpenRange]
        # @raise [ProtocolError] the text is not a range
        def decode(text, memory = RowMemory.new)
          return OpenRange::EMPTY if text == "empty"

          range(WHOLE.match(text) || raise(ProtocolError, "malformed value of a range type"), memory)
        end

        # @return [Array<Range, OpenRange>] all ranges in a text
        def decode_all(text, memory) = text.to_enum(:scan, TEXT).map { range(Regexp.last_match, memory) }

        # @param value [Range, OpenRange]
        # @param parameter [Parameters::Parameter]
        # @return [String]
        def encode(value, parameter)
          parameter.refuse(value, "a Range") unless value.is_a?(Range) || value.is_a?(OpenRange)
          Parameters::RangeLiteral.of(value, parameter, @bound.parameter_type)
        end

        # Whether its values are Arrays.
        def array? = false

        private

        def range(match, memory)
          memory.take(OBJECT)
          first, last = bound(match[2], match[3], memory), bound(match[4], match[5], memory)
          exclude_begin, exclude_end = !first.nil? && match[1] == "(", match[6] == ")"
          return Range.new(first, last, exclude_end) unless exclude_begin || incomparable?(first, last)

          OpenRange.new(first, last, exclude_begin: exclude_begin, exclude_end: exclude_end)
        end

        # Composite values, NaN, and a Time with Float::INFINITY, which Active Support would compare, and Ruby does not.
        def incomparable?(first, last)
          !first.nil? && !last.nil? && (first.is_a?(Time) != last.is_a?(Time) || (first <=> last).nil?)
        end

        def bound(quoted, bare, memory)
          return @bound.decode(quoted.gsub(/""|\\(.)/m) { $1 || '"' }, memory) if quoted

          @bound.decode(bare, memory) unless bare.empty?
        end
      end

      # Several ranges of one type, in order: an Array.
      class MultirangeKind # :nodoc:
        # @param range [RangeKind]
        def initialize(range)
          @range = range
        end

        def decode(text, memory = RowMemory.new) = @range.decode_all(text, memory)

        def encode(value, parameter)
          parameter.refuse(value, "an Array of Ranges") unless value.is_a?(Array)
          "{#{value.map { |range| @range.encode(range, parameter) }.join(",")}}"
        end

        def array? = true
      end
    end
  end
end
