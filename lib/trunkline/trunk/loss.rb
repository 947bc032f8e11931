# frozen_string_literal: true

module Trunkline
  # Why a request gets no answer: its connection was lost, before or after bytes of the request had been sent.
  #
  # reason:: [String] one sentence
  # sent:: [Boolean] whether bytes of the request had been sent
  # closed:: [Boolean] whether the client itself closed the connection
  Loss = Struct.new(:reason, :sent, :closed)
  private_constant :Loss
end
