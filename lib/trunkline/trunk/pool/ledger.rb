# frozen_string_literal: true

module Trunkline
  # What the trunks of a pool have done since its beginning, those that are gone included, so that no sum ever falls.
  # Its owner's lock is held around each call.
  class Ledger # :nodoc:
    # Requests sent, writes and reads that carried them and their answers, requests abandoned after they were sent, cancels asked for, and
    # trunks of which it was unknown what a cancel would do to the next request.
    SUMS = %i[requests writes reads abandoned cancelled quarantined].freeze
    private_constant :SUMS

    # @param trunk [Trunk]
    # @return [Hash{Symbol => Numeric}] what is in flight there, seconds until that is expected to be answered, and sums
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

    # A trunk has been opened; perhaps in place of one that was lost.
    def opened(trunk)
      @trunks.push(trunk)
      @opened += 1
      return unless @missing.positive?

      @missing -= 1
      @reconnects += 1
    end

    # One could not be opened.
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
