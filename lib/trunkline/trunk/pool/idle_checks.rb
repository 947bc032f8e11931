# frozen_string_literal: true

module Trunkline
  # Checks idle trunks while other trunks, or none, are in use. Servers report some changes only with their next answer, for example that they accept
  # writes now; and a lost connection is detected before a caller needs it. A caller that leaves sends the checks, and a later one reads the answers.
  # The owner's lock is held around {#take}.
  class IdleChecks # :nodoc:
    # Seconds after which an idle trunk is checked at the latest, while there are callers: with the answer, which a later search reads, a promotion is
    # known in less than 10 s. It costs the server an empty statement for each idle connection.
    EVERY = 5.0
    # Seconds between two searches for idle trunks: one that was idle for as long is checked.
    INTERVAL = EVERY / 2
    private_constant :EVERY, :INTERVAL

    # @param roster [Roster] the pool's trunks
    # @param check [#call] makes a request that checks a connection
    def initialize(roster, check)
      @roster = roster
      @check = check
      schedule_next
    end

    # @return [Boolean] whether it is time to check the idle trunks
    def due? = Clock.now >= @due_at

    # Takes the spare ones among them out of the roster; the caller must return them.
    #
    # @return [Array(Array<Trunk>, Array<Trunk>), nil] shared and spare trunks that were idle for INTERVAL; nil: another caller has just taken them
    def take
      return unless due?

      schedule_next
      [@roster.trunks.select { |trunk| idle?(trunk) }, @roster.take_spares { |trunk| idle?(trunk) }]
    end

    # Sends a check over each of them, and does not wait for the answers.
    #
    # @param shared [Array<Trunk>]
    # @param spares [Array<Trunk>]
    # @yieldparam trunk [Trunk] a spare one, to be checked in again
    # @return [void]
    def start(shared = [], spares = [], &give_back)
      shared.each { |trunk| send_over(trunk, @check.call) }
      spares.each { |trunk| send_over(trunk, @check.call.pin) }
    ensure
      spares.each(&give_back)
    end

    private

    def send_over(trunk, request)
      trunk.state.check_sent if trunk.dispatch(request)
    end

    def schedule_next = @roster.dispatcher.check_idle_at = @due_at = Clock.now + INTERVAL

    def idle?(trunk) = trunk.codec.idle? && Clock.now - trunk.state.idle_since >= INTERVAL
  end
  private_constant :IdleChecks
end
