# frozen_string_literal: true

# For what a server does in the end with what is late. A caller goes a moment after its deadline, whether that has happened or
# not: where the machine is slow, it would not see it.
module Leeway
  SECONDS = 60
  private_constant :SECONDS

  private

  # Meanwhile callers stay until the server has ended what is late.
  def with_much_leeway(&block) = with_seconds(:Canceller, :LEEWAY, &block)

  # Meanwhile callers stay until the server has ended what others wait behind.
  def with_much_persistence(&block) = with_seconds(:FencedCancels, :PERSISTENCE, &block)

  # Meanwhile callers go when their own time is over, also where the server ignores their cancels.
  def with_no_persistence(&block) = with_seconds(:FencedCancels, :PERSISTENCE, 0, &block)

  def with_seconds(name, constant, seconds = SECONDS)
    owner = Trunkline.const_get(name)
    usual = exchange_seconds(owner, constant, seconds)
    yield
  ensure
    exchange_seconds(owner, constant, usual)
  end

  # @return [Numeric] what they were
  def exchange_seconds(owner, constant, seconds)
    owner.send(:remove_const, constant).tap do
      owner.const_set(constant, seconds)
      owner.private_constant constant
    end
  end
end
