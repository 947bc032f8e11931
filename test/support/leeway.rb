# frozen_string_literal: true

# Tests of a server's eventual handling of requests whose deadline has passed. A caller leaves a moment after its deadline, whether that has happened
# or not: on a slow machine it would not see it.
module Leeway
  SECONDS = 60
  HOURS = 36_000 # seconds
  private_constant :SECONDS, :HOURS

  private

  # Meanwhile callers stay until the server has ended requests whose deadline has passed.
  def with_much_leeway(&block) = with_seconds(:FencedCancels, :LEEWAY, &block)

  # Meanwhile callers stay until the server has ended requests that others wait behind.
  def with_much_persistence(&block) = with_seconds(:FencedCancels, :PERSISTENCE, &block)

  # Meanwhile callers leave when their own time is over, also if the server ignores their cancels.
  def with_no_persistence(&block) = with_seconds(:FencedCancels, :PERSISTENCE, 0, &block)

  # Meanwhile no connection counts as stalled, whose callers do not run.
  def with_no_stalls(&block) = with_seconds(:Waiting, :LONGEST_TURN, HOURS) { with_seconds(:Stall, :LONGEST_WITH_LOSS, HOURS, &block) }

  # Meanwhile a read that waits for a replica has time to open a connection for that.
  def with_much_grace(&block) = with_seconds(:ReplayWaits, :GRACE, within: Trunkline::Postgres) { with_long_connecting(&block) }

  # Meanwhile a read waits for a replica's connection for as long as that takes to open.
  def with_long_connecting(&block) = with_seconds(:ReplicaSet, :CONNECT_LIMIT, within: Trunkline::Postgres, &block)

  def with_seconds(name, constant, seconds = SECONDS, within: Trunkline)
    owner = within.const_get(name)
    usual = exchange_seconds(owner, constant, seconds)
    yield
  ensure
    exchange_seconds(owner, constant, usual)
  end

  # @return [Numeric] the former value
  def exchange_seconds(owner, constant, seconds)
    public = owner.constants.include?(constant)
    owner.send(:remove_const, constant).tap do
      owner.const_set(constant, seconds)
      owner.private_constant constant unless public
    end
  end
end
