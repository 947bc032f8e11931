# frozen_string_literal: true

module Trunkline
  # Counters of a pool's trunks, including closed ones, so that no sum ever falls. The owner's lock is held around each call.
  class Ledger # :nodoc:
    # Requests sent; writes and reads that transferred them and their answers; requests abandoned after they were sent; cancel requests; and trunks
    # taken out of use because it was unknown what a cancel would hit.
    SUMS = %i[requests writes reads abandoned cancelled quarantined].freeze
    private_constant :SUMS

    # @param trunk [Trunk]
    # @return [Hash{Symbol => Numeric}] requests in flight, the expected seconds until they are answered, and counters
    def self.figures(trunk)
      codec = trunk.codec
      requests, in_flight, backlog = Load.of(codec)
      { in_flight: in_flight, backlog: backlog, requests: requests, writes: codec.output.transfers, reads: codec.input.transfers,
        abandoned: trunk.abandoned, cancelled: trunk.cancels, quarantined: trunk.quarantined? ? 1 : 0 }
    end

    # @return [Array<Trunk>] whose connections have not ended
    attr_reader :trunks

    def initialize
      @trunks = []
      @gone = SUMS.to_h { |name| [name, 0] }
      @opened = @failed = @lost = @missing = @reconnects = 0
    end

    # A trunk has been opened, perhaps to replace a lost one.
    def opened(trunk)
      @trunks.push(trunk)
      @opened += 1
      return unless @missing.positive?

      @missing -= 1
      @reconnects += 1
    end

    # An attempt to open one has failed.
    def failed = @failed += 1

    # The connection of a trunk has ended.
    def ended(trunk)
      return unless @trunks.delete(trunk)

      figures = self.class.figures(trunk)
      SUMS.each { |name| @gone[name] += figures[name] }
      return if trunk.loss.closed

      @lost += 1
      @missing += 1
    end

    # @return [Hash{Symbol => Integer}]
    def sums
      figures = @trunks.map { |trunk| self.class.figures(trunk) }
      sums = SUMS.to_h { |name| [name, @gone[name] + figures.sum { |each| each[name] }] }
      { **sums, opened: @opened, reconnects: @reconnects, lost: @lost, failed: @failed }
    end
  end
  private_constant :Ledger, :Load
end
