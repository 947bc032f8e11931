# frozen_string_literal: true

module Trunkline
  # A range of PostgreSQL that Ruby's Range cannot represent: without its begin, as (1.5,2.5], empty, or with bounds that Ruby cannot compare, such as
  # a time and infinity, NaN, or composite values. Immutable.
  #
  #   Trunkline::OpenRange.new(1.5, 2.5).to_s    # => "(1.5,2.5]"
  #   Trunkline::OpenRange::EMPTY.empty?         # => true
  class OpenRange
    # @return [Object, nil] nil: it is unbounded there
    attr_reader :begin, :end

    # @param first [Object, nil]
    # @param last [Object, nil]
    # @param exclude_begin [Boolean] whether its begin is excluded
    # @param exclude_end [Boolean]
    # @param empty [Boolean] whether it contains nothing
    def initialize(first, last, exclude_begin: true, exclude_end: false, empty: false)
      @begin = first
      @end = last
      @exclude_begin = exclude_begin
      @exclude_end = exclude_end
      @empty = empty
      freeze
    end

    # @return [Boolean]
    def exclude_begin? = @exclude_begin

    # @return [Boolean]
    def exclude_end? = @exclude_end

    # @return [Boolean]
    def empty? = @empty

    # @return [Boolean]
    def ==(other) = other.is_a?(OpenRange) && other.parts == parts
    alias eql? ==

    # @return [Integer] equal for equal values
    def hash = parts.hash

    # @return [String] as PostgreSQL writes it, without quotes
    def to_s = empty? ? "empty" : "#{exclude_begin? ? "(" : "["}#{self.begin},#{self.end}#{exclude_end? ? ")" : "]"}"

    # @return [String] the text, which ActiveSupport uses for JSON; without it, JSON does the same
    def as_json(*_options) = to_s

    # @return [String]
    def inspect = "#<#{self.class} #{self}>"

    EMPTY = new(nil, nil, empty: true)

    protected

    def parts = [@begin, @end, @exclude_begin, @exclude_end, @empty]
  end
end
