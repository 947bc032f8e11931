# frozen_string_literal: true

require_relative "../request/request"

module Trunkline
  module Postgres
    # One COPY on a session, in the bytes of its format: what adapters build their own calls from. While it goes on, the session
    # does nothing else.
    #
    #   copy = session.copy("COPY users TO STDOUT")
    #   while (data = copy.read) do io.write(data) end
    #   copy.finish
    class Copy
      # Bytes that are collected before they are written, and that may be left to write.
      AT_ONCE = 64 * 1024
      # Rows that are taken at a time.
      PORTION = 1000
      # Seconds for the server to answer that it has dropped what it was sent.
      TIDYING = 1.0
      private_constant :TIDYING

      # @param lease [SessionLease]
      # @param responses [ResponseReader]
      # @param sql [String]
      # @param deadline [Numeric, nil] seconds for all of it
      # @param description [Description, nil] what the rows are decoded by
      def initialize(lease, responses, sql, deadline: nil, description: nil) # :nodoc:
        @lease = lease
        @responses = responses
        @request = Request.copy(sql, PORTION)
        @request.limit(deadline) if deadline
        @request.description = description
        @portion = []
      end

      attr_reader :request # :nodoc:

      # Has the server begin.
      #
      # @return [Copy]
      # @raise [Error] it refused
      def begin # :nodoc:
        @lease.flow.begin(@request, @responses.method(:tell)) { !@request.copying.nil? }
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

      # Sends data; where it is cut does not matter.
      #
      # @param data [String] bytes in the statement's format
      # @return [Copy]
      # @raise [ServerError] what was sent before could not be stored
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

      # @return [String, nil] a row, or what comes before or behind the rows in the binary format; nil: it was the last one
      # @raise [Error] the server has failed, the connection was lost, or the deadline has passed
      def read
        @portion = rows.reverse if @portion.empty?
        @portion.pop
      end

      # @return [Array] the rows that have come; empty: there are no more
      def rows # :nodoc:
        @lease.flow.follow(@request) { @request.portion? } unless @request.portion?
        check unless @request.portion?
        @lease.flow.portion(@request)
      end

      # Ends it well: all was sent; or all was read, and what was not is dropped.
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

      # Ends it without effect: nothing of what was sent is stored, and what is not read is dropped.
      #
      # @param reason [String] the server keeps it in its log
      # @return [nil]
      def abort(reason = "the client gave up")
        refuse(reason) if @request.copying == :in && !@request.done?
        nil
      ensure
        @lease.flow.end(@request)
      end

      # @return [String] its direction
      def inspect = "#<#{self.class} #{@lease.server} #{direction}>"

      private

      def refuse(reason)
        @request.linger(Waiting.now + TIDYING)
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
