# frozen_string_literal: true

module Trunkline
  # Why a request gets no answer: its caller waits no longer.
  #
  # why:: [Symbol] :deadline, which has passed, or :cancel
  # sent:: [Boolean] whether the server may have carried it out, or may yet
  Abandonment = Struct.new(:why, :sent)
  private_constant :Abandonment
end
