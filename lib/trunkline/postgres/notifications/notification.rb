# frozen_string_literal: true

require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # What was sent to a channel that is listened to; or the news that some may have been missed.
    class Notification
      # Seconds in which what lies in the socket is read, also where there is no time to wait.
      A_MOMENT = 0.001
      private_constant :A_MOMENT

      # @param timeout [Numeric, nil] seconds to wait for one; nil: for ever
      # @return [Float, nil] until when, on the clock of Waiting.now
      def self.due(timeout) = Waiting.due(timeout, A_MOMENT) # :nodoc:

      # @return [String, nil] nil: it is a gap
      attr_reader :channel

      # @return [String, nil] empty where none was sent; nil: it is a gap
      attr_reader :payload

      # @return [Integer, nil] process id of the server session that sent it; nil: it is a gap
      attr_reader :pid

      # @param body [String, nil] of NotificationResponse; nil: some were left out
      # @return [Notification]
      def self.parse(body) # :nodoc:
        return new if body.nil?

        pid, channel, payload = body.unpack("NZ*Z*")
        new(channel.force_encoding(Encoding::UTF_8), payload.force_encoding(Encoding::UTF_8), pid)
      end

      def initialize(channel = nil, payload = nil, pid = nil) # :nodoc:
        @channel = channel
        @payload = payload
        @pid = pid
        freeze
      end

      # Were notifications perhaps missed? For the connection was lost and has been made anew, or they were not taken for so long
      # that there were too many.
      #
      # @return [Boolean]
      def gap? = channel.nil?

      # @return [String]
      def inspect = gap? ? "#<#{self.class} gap>" : "#<#{self.class} #{channel} #{payload.inspect}>"
    end
  end
end
