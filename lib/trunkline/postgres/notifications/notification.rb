# frozen_string_literal: true

require_relative "../../trunk/waiting"

module Trunkline
  module Postgres
    # A notification of a channel; or a gap, which means that some may have been missed.
    class Notification
      # Seconds for reading what has arrived, even if the timeout is shorter: 4,000 rows of 120 kB, as much as a socket holds, take 0.7 ms (load 11).
      READ_LIMIT = 0.001
      private_constant :READ_LIMIT

      # @param timeout [Numeric, nil] seconds to wait for one; nil: no limit
      # @return [Float, nil] deadline on the clock of Waiting.now
      def self.due(timeout) = Waiting.due(timeout, READ_LIMIT) # :nodoc:

      # @return [String, nil] nil: it is a gap
      attr_reader :channel

      # @return [String, nil] empty: sent without a payload; nil: it is a gap
      attr_reader :payload

      # @return [Integer, nil] process ID of the server session that sent it; nil: it is a gap
      attr_reader :pid

      # @param body [String, nil] of NotificationResponse; nil: some were dropped
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

      # Whether notifications may have been missed: because the connection was lost and opened again, or because too many were not taken for too long.
      #
      # @return [Boolean]
      def gap? = channel.nil?

      # @return [String]
      def inspect = gap? ? "#<#{self.class} gap>" : "#<#{self.class} #{channel} #{payload.inspect}>"
    end
  end
end
