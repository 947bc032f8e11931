# frozen_string_literal: true

module Trunkline
  # Why a request gets no answer: its caller waits no longer.
  #
  # why:: [Symbol] :deadline, which has passed, or :cancel
  # sent:: [Boolean] whether the server may have carried it out, or may yet
  Abandonment = Struct.new(:why, :sent)

  class Abandonment # :nodoc:
    # By why: of requests that were sent, and of those that were not.
    SENT, UNSENT = [true, false].map { |sent| %i[deadline cancel].to_h { |why| [why, new(why, sent).freeze] }.freeze }
  end
  private_constant :Abandonment
end
