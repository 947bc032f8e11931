# frozen_string_literal: true

module Trunkline
  # What is asked on idle trunks while other trunks, or none, are in use: servers tell some news with their next answer only, that they take
  # writes now for example, and a trunk that was lost is found before a caller needs it. A caller that goes sends
  # the questions, and a later one reads the answers. Its owner's lock is held around {#take}.
  class IdleQuestions # :nodoc:
    # Seconds after which an idle trunk is asked at the latest, while callers come.
    EVERY = 5.0
    # Seconds from one look at the trunks to the next: one that was idle for as long is asked.
    LOOK = EVERY / 2
    private_constant :EVERY, :LOOK

    # @param roster [Roster] of the trunks there are
    # @param question [#call] makes a request
    def initialize(roster, question)
      @roster = roster
      @question = question
      look_again_later
    end

    # @return [Boolean] whether it is time to look at the idle trunks
    def due? = Clock.now >= @look_at

    # Takes the spare ones among them out of the roster: they are to be given back.
    #
    # @return [Array(Array<Trunk>, Array<Trunk>), nil] shared and spare ones that were idle for long; nil: another caller has just looked
    def take
      return unless due?

      look_again_later
      [@roster.trunks.select { |trunk| idle?(trunk) }, @roster.take_spares { |trunk| idle?(trunk) }]
    end

    # Sends the question on each of them, and does not wait for the answers.
    #
    # @param shared [Array<Trunk>]
    # @param spares [Array<Trunk>]
    # @yieldparam trunk [Trunk] one of the spares, to be given back
    # @return [void]
    def ask(shared = [], spares = [], &give_back)
      shared.each { |trunk| send_over(trunk, @question.call) }
      spares.each { |trunk| send_over(trunk, @question.call.pin) }
    ensure
      spares.each(&give_back)
    end

    private

    def send_over(trunk, request)
      trunk.state.questioned if trunk.dispatch(request)
    end

    def look_again_later = @roster.dispatcher.look_at = @look_at = Clock.now + LOOK

    def idle?(trunk) = trunk.codec.idle? && Clock.now - trunk.state.idle_since >= LOOK
  end
  private_constant :IdleQuestions
end
