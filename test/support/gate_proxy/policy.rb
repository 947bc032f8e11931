# frozen_string_literal: true

require_relative "../narrow_sockets"

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
    # @return [Numeric] bytes that are kept until they are sent, from which on no more are read
    attr_reader :room
    attr_writer :held, :stalled, :cut

    # @param narrow [Boolean] whether so much is little
    def initialize(narrow: false)
      @room = narrow ? NarrowSockets::BYTES : Float::INFINITY
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

    def narrow?
      @room.finite?
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
