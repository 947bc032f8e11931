# frozen_string_literal: true

require_relative "codec_testing"

# A trunk over a socket whose other end, @there, the test uses as the server. The test includes it within Trunkline::Postgres.
module SimulatedTrunk
  include Trunkline::Postgres::CodecTesting

  # A pool that ignores all calls.
  POOL = Struct.new(:callers_waiting, :freed) { def lost(_trunk) = nil }.new(Trunkline.const_get(:Flag).new, nil)
  private_constant :POOL

  def setup
    super
    here, @there = UNIXSocket.pair
    @trunk = Trunkline.const_get(:Trunk).new(here, codec, server: "server", pool: POOL, canceller: canceller)
  end

  # The trunk's canceller: see Trunk.new. Nil: no cancel request can be sent.
  def canceller = nil

  def teardown
    @trunk.close("the test is over")
    @there.close
    super
  end
end
