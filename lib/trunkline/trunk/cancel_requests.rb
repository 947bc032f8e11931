# frozen_string_literal: true

require_relative "waiting"

module Trunkline
  # The cancel requests of one connection, which go to its server by other connections.
  class CancelRequests # :nodoc:
    # @return [Integer] how many were sent, or tried
    attr_reader :count

    # @param send_one [#call] sends one: see Trunk.new
    def initialize(send_one)
      @send_one = send_one
      @count = 0
    end

    # @param by [Float] until when, on the clock of Waiting.now
    # @yield the server has dealt with it; also where the caller is interrupted meanwhile
    # @raise [ConnectionError] it has not
    def cancel(by, &dealt_with)
      @count += 1
      @send_one.call(by, &dealt_with)
    end

    # Sends one of which nothing depends on what becomes of it: the server finds out by itself, later, that the client is gone.
    def cancel_unseen(by)
      cancel(by)
    rescue ConnectionError
      nil
    end
  end
  private_constant :CancelRequests
end
