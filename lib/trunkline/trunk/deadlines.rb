# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  # Ends whatever the clients are asked for within the block, by the calling fiber or thread, when it takes longer: waiting
  # for a connection, connecting, sending, and the answer. Of deadlines one within the other, the earlier one holds. Fibers
  # and threads that the block starts have none of it.
  #
  #   Trunkline.deadline(0.5) { db.value("SELECT count(*) FROM users") }
  #
  # @param seconds [Numeric] from now, for everything in the block together
  # @return [Object] what the block returned
  # @raise [Deadline] from the call that was not through in time
  # @raise [ArgumentError] the seconds are no number, or less than 0
  def self.deadline(seconds, &block) = Deadlines.hold(Deadlines.in(seconds), &block)

  # The deadline of whatever a fiber or thread asks at present, on the clock of Waiting.now.
  module Deadlines # :nodoc:
    # @param deadline [Float, nil] instead of the present one; nil leaves that as it is
    def self.hold(deadline)
      return yield unless deadline

      before = exchange(deadline)
      begin
        yield
      ensure
        exchange(before)
      end
    end

    # What has to be put in order when the deadline has passed gets a time of its own.
    #
    # @param seconds [Numeric] from now, in place of the present deadline; where there is none, there is none
    def self.instead(seconds, &block) = hold(present && (Waiting.now + seconds), &block)
  end
  private_constant :Deadlines
end
