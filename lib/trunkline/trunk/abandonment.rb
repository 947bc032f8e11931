# frozen_string_literal: true

module Trunkline
  # Why a request gets no answer although its connection lives: its caller stopped waiting.
  #
  # why:: [Symbol] :deadline (it has passed) or :cancel
  # sent:: [Boolean] whether the server may have executed it, or may still do so
  Abandonment = Struct.new(:why, :sent)

  class Abandonment # :nodoc:
    # Indexed by why: for requests that were sent, and for those that were not.
    SENT, UNSENT = [true, false].map { |sent| %i[deadline cancel].to_h { |why| [why, new(why, sent).freeze] }.freeze }
  end
  private_constant :Abandonment
end
