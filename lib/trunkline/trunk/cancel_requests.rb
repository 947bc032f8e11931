# frozen_string_literal: true

require_relative "waiting"

module Trunkline
  # Sends the cancel requests for one connection, each over a connection of its own to the same server.
  class CancelRequests # :nodoc:
    # @return [Integer] how many were attempted
    attr_reader :count

    # @param send_one [#call] sends one cancel request: see the canceller of Trunk.new
    def initialize(send_one)
      @send_one = send_one
      @count = 0
    end

    # @param by [Float] deadline on the clock of Waiting.now
    # @yield when the server has processed the cancel request; also if the caller is interrupted meanwhile
    # @raise [ConnectionError] the server has not processed it
    def cancel(by, &dealt_with)
      @count += 1
      @send_one.call(by, &dealt_with)
    end

    # Sends one whose outcome does not matter: without it, the server only finds out later that the client is gone.
    def cancel_and_forget(by)
      cancel(by)
    rescue ConnectionError
      nil
    end
  end
  private_constant :CancelRequests
end
