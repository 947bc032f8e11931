# frozen_string_literal: true

module Trunkline
  # Checks idle trunks while other trunks, or none, are in use: servers tell some news with their next answer only, that they take
  # writes now for example, and a trunk that was lost is found before a caller needs it. A caller that leaves sends
  # the checks, and a later one reads the answers. Its owner's lock is held around {#take}.
  class IdleChecks # :nodoc:
    # Seconds after which an idle trunk is checked at the latest, while callers come.
    EVERY = 5.0
    # Seconds from one search for idle trunks to the next: one that was idle for as long is checked.
    INTERVAL = EVERY / 2
    private_constant :EVERY, :INTERVAL

    # @param roster [Roster] of the trunks there are
    # @param check [#call] makes a request
    def initialize(roster, check)
      @roster = roster
      @check = check
      schedule_next
    end

    # @return [Boolean] whether it is time to check the idle trunks
    def due? = Clock.now >= @due_at

    # Takes the spare ones among them out of the roster: they are to be given back.
    #
    # @return [Array(Array<Trunk>, Array<Trunk>), nil] shared and spare ones that were idle for long; nil: another caller has just taken them
    def take
      return unless due?

      schedule_next
      [@roster.trunks.select { |trunk| idle?(trunk) }, @roster.take_spares { |trunk| idle?(trunk) }]
    end

    # Sends a check over each of them, and does not wait for the answers.
    #
    # @param shared [Array<Trunk>]
    # @param spares [Array<Trunk>]
    # @yieldparam trunk [Trunk] one of the spares, to be given back
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

    def schedule_next = @roster.dispatcher.look_at = @due_at = Clock.now + INTERVAL

    def idle?(trunk) = trunk.codec.idle? && Clock.now - trunk.state.idle_since >= INTERVAL
  end
  private_constant :IdleChecks
end
