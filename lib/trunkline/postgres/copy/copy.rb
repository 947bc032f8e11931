# frozen_string_literal: true

require_relative "../request/request"

module Trunkline
  module Postgres
    # One COPY on a session, as bytes of its format; adapters build their own calls from it. Until it ends, the session does nothing else.
    #
    #   copy = session.copy("COPY users TO STDOUT")
    #   while (data = copy.read) do io.write(data) end
    #   copy.finish
    class Copy
      # Bytes that are collected before a write, and that may remain unwritten after one. A bound on memory: 60,000 rows took 0.55 s of the client's CPU,
      # with half 0.63 and with double 0.62, which differ by chance (load 10).
      AT_ONCE = 64 * 1024
      # Rows that are returned at a time. A bound on memory, too: 60,000 rows took 0.034 s of the client's CPU, with half 0.039 and with double 0.036.
      PORTION = 1000
      # Seconds for the server to confirm that it has discarded the data. It is a bound: that is a round trip, and after it the connection is closed.
      ABORT_LIMIT = 1.0
      private_constant :ABORT_LIMIT

      # @param lease [SessionLease]
      # @param responses [ResponseReader]
      # @param sql [String]
      # @param deadline [Numeric, nil] seconds for all of it
      # @param description [Description, nil] by which rows are decoded
      def initialize(lease, responses, sql, deadline: nil, description: nil) # :nodoc:
        @lease = lease
        @responses = responses
        @request = Request.copy(sql, PORTION)
        @request.limit(deadline) if deadline
        @request.description = description
        @portion = []
      end

      attr_reader :request # :nodoc:

      # Sends the statement and waits until the COPY has begun.
      #
      # @return [Copy]
      # @raise [Error] the server refused it
      def begin # :nodoc:
        @lease.flow.begin(@request, @responses.method(:announce_notices)) { !@request.copying.nil? }
        check
        self
      rescue Exception # rubocop:disable Lint/RescueException
        @lease.flow.end(@request)
        raise
      end

      # @return [:in, :out] whether it is FROM STDIN, or TO STDOUT
      def direction = @request.copying

      def check_direction(wanted) # :nodoc:
        return if direction == wanted

        abort
        raise ArgumentError, "#{wanted == :in ? "copy_in needs COPY ... FROM STDIN" : "copy_out needs COPY ... TO STDOUT"} " \
                             "(SQL: #{ShortenedSQL.call(@request.script)})"
      end

      # @return [Boolean] whether the format is binary
      def binary? = @request.copies_binary?

      # @return [Integer] the number of columns
      def columns = @request.copied_columns

      # Sends data, split anywhere.
      #
      # @param data [String] bytes in the statement's format
      # @return [Copy]
      # @raise [ServerError] data sent before could not be stored
      # @raise [Error] the connection was lost, or the deadline has passed
      def write(data)
        @lease.flow.feed(@request, AT_ONCE) { |codec| codec.copy_data(@request, data) }
        check
        self
      end

      def write_rows(bytes) # :nodoc:
        @lease.flow.feed(@request, AT_ONCE) { |codec| codec.copy_rows(@request, bytes) }
        check
      end

      # @return [String, nil] a row, or the header or trailer of the binary format; nil: there are no more
      # @raise [Error] the server has failed, the connection was lost, or the deadline has passed
      def read
        @portion = rows.reverse if @portion.empty?
        @portion.pop
      end

      # @return [Array] the rows that have arrived; empty: there are no more
      def rows # :nodoc:
        @lease.flow.follow(@request) { @request.portion? } unless @request.portion?
        check unless @request.portion?
        @lease.flow.portion(@request)
      end

      # Ends the COPY successfully: all was sent; or all was read, and unread rows are discarded.
      #
      # @return [Integer, nil] rows that were copied
      # @raise [ServerError] nothing of it is stored
      # @raise [Error] the connection was lost, or the deadline has passed
      def finish
        if @request.copying == :in && !@request.done?
          @lease.flow.feed(@request, 0) { |codec| codec.copy_done(@request) }
          @lease.flow.follow(@request) { false }
        end
        check
        @request.affected_rows
      ensure
        @lease.flow.end(@request)
      end

      # Ends the COPY without effect: data that was sent is not stored, and unread rows are discarded.
      #
      # @param reason [String] the server writes it to its log
      # @return [nil]
      def abort(reason = "the client has aborted the COPY")
        refuse(reason) if @request.copying == :in && !@request.done?
        nil
      ensure
        @lease.flow.end(@request)
      end

      # @return [String] its direction
      def inspect = "#<#{self.class} #{@lease.server} #{direction}>"

      private

      def refuse(reason)
        @request.extend_wait(Waiting.now + ABORT_LIMIT)
        @lease.flow.feed(@request, 0) { |codec| codec.copy_fail(@request, reason) }
        @lease.flow.follow(@request) { false }
      rescue Error
        nil
      end

      def check
        raise @responses.error(@request) if @request.done? && !@request.answered?
      end
    end
  end
end
