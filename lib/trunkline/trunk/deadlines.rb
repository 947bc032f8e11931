# frozen_string_literal: true

require_relative "../errors"

module Trunkline
  # Limits the time of all calls to clients that the calling fiber or thread makes within the block: waiting for a connection, connecting, sending,
  # and the answer. Of nested deadlines, the earlier one holds. Fibers and threads that the block starts do not inherit it.
  #
  #   Trunkline.deadline(0.5) { db.value("SELECT count(*) FROM users") }
  #
  # @param seconds [Numeric] from now, for everything in the block together
  # @return [Object] what the block returned
  # @raise [Deadline] from the call that did not finish in time
  # @raise [ArgumentError] the seconds are no number, or less than 0
  def self.deadline(seconds, &block) = Deadlines.hold(Deadlines.in(seconds), &block)

  # The current deadline of a fiber or thread, on the clock of Waiting.now.
  module Deadlines # :nodoc:
    # @param deadline [Float, nil] in place of the current one; nil keeps that
    def self.hold(deadline)
      return yield unless deadline

      before = exchange(deadline)
      begin
        yield
      ensure
        exchange(before)
      end
    end

    # Gives cleanup after a passed deadline a time limit of its own.
    #
    # @param seconds [Numeric] from now, in place of the current deadline; without a current deadline there is no limit
    def self.instead(seconds, &block) = hold(present && (Waiting.now + seconds), &block)
  end
  private_constant :Deadlines
end
