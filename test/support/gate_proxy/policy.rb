# frozen_string_literal: true

class GateProxy
  # What is allowed in one direction of every connection, and what has happened there so far.
  class Policy
    # @return [Integer] bytes that have gone through
    attr_reader :bytes
    # @return [Integer] bytes that have come in
    attr_reader :arrived
    # @return [Hash{String, Symbol => Integer}] messages that have come in, by type
    attr_reader :messages
    # @return [Float] seconds by which each byte is delayed
    attr_accessor :delay
    attr_writer :held, :stalled, :cut

    def initialize
      @bytes = 0
      @arrived = 0
      @messages = Hash.new(0)
      @delay = 0.0
      @whole = Float::INFINITY
      @cut = nil
    end

    def held?
      @held
    end

    def stalled?
      @stalled
    end

    # At most up to the byte at which the connection is cut.
    def chunk
      [@whole, @cut || @whole].min
    end

    def chunk=(bytes)
      @whole = bytes || Float::INFINITY
    end

    # @return [Boolean] true once, when the last byte before the cut has gone
    def cut!
      @cut&.zero? && (@cut = nil).nil?
    end

    def received(bytes)
      @arrived += bytes
    end

    def sent(bytes)
      @bytes += bytes
      @cut -= bytes if @cut
    end

    def message(type)
      @messages[type] += 1
    end
  end
end
