# frozen_string_literal: true

# For what a server does in the end with what is late. A caller goes a moment after its deadline, whether that has happened or
# not: where the machine is slow, it would not see it.
module Leeway
  SECONDS = 60
  private_constant :SECONDS

  private

  # Meanwhile callers stay until the server has ended what is late.
  def with_much_leeway
    usual = exchange_leeway(SECONDS)
    yield
  ensure
    exchange_leeway(usual)
  end

  # @return [Numeric] what it was
  def exchange_leeway(seconds)
    canceller = Trunkline.const_get(:Canceller)
    canceller.send(:remove_const, :LEEWAY).tap do
      canceller.const_set(:LEEWAY, seconds)
      canceller.private_constant :LEEWAY
    end
  end
end
