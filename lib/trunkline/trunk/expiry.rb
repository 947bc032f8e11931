# frozen_string_literal: true

module Trunkline
  # Why a request gets no answer: its deadline has passed.
  class Expiry # :nodoc:
    SENT = "the deadline has passed before the answer came: whether it had an effect is not known"
    NOT_SENT = "the deadline has passed before it was sent: nothing has happened"
    private_constant :SENT, :NOT_SENT

    # @return [Boolean] whether the server may have carried it out, or may yet
    attr_reader :sent

    def initialize(sent:)
      @sent = sent
    end

    # @return [String] one sentence
    def reason = sent ? SENT : NOT_SENT
  end
  private_constant :Expiry
end
