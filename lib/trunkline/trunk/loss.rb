# frozen_string_literal: true

module Trunkline
  # Why a request gets no answer: its connection was lost, before or after bytes of the request had been sent.
  #
  # reason:: [String] one sentence
  # sent:: [Boolean] whether bytes of the request had been sent
  # closed:: [Boolean] whether the client itself closed the connection
  Loss = Struct.new(:reason, :sent, :closed)

  class Loss # :nodoc:
    # Message for a call of the parent process in a forked child. If the child runs the event loop that it was forked in, the copies of the loop's
    # fibers continue there.
    INHERITED = "this call was begun before a fork, and continues in the parent process only"
  end
  private_constant :Loss
end
