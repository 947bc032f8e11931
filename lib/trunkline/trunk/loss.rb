# frozen_string_literal: true

module Trunkline
  # Why a request gets no answer: its trunk was lost, before or after bytes of the request had been sent.
  #
  # reason:: [String] one sentence
  # sent:: [Boolean]
  # closed:: [Boolean] the client itself closed the trunk
  Loss = Struct.new(:reason, :sent, :closed)
  private_constant :Loss
end
