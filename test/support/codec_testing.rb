# frozen_string_literal: true

require_relative "codec_talk"
require_relative "query_messages"

module Trunkline
  module Postgres
    # PostgreSQL's codec: `ask` submits a request, `answer` passes it the server's messages.
    module CodecTesting
      include CodecTalk
      include QueryMessages
      include FrontendMessages

      LIMIT = 1 << 20 # bytes

      def setup
        super
        begin_session
        @statements = {}
      end

      def begin_session(parameters: {}, limit: LIMIT)
        @codec = Codec.new(parameters, limit)
        @woken = []
        @sent_before = 0
      end

      # @return [Statement] the same one for the same SQL
      def statement(sql) = @statements[sql] ||= Statement.new(sql, @statements.size)

      # @return [Request] submitted
      def ask(sql, *parameters)
        request = Request.query(statement(sql), parameters) || Request.converted(statement(sql), Parameters.convert(parameters))
        submit(request)
      end

      def submit(request)
        codec.submit(request)
        request
      end

      # Sends so many bytes of the output, and no more.
      def send_bytes(count)
        reader, writer = UNIXSocket.pair
        rest = codec.output.to_s.byteslice(count..)
        codec.output.send_to(writer.fileno)
        codec.output << rest
      ensure
        [reader, writer].each(&:close)
      end

      # @param notices [String, nil] that are kept of a request
      # @return [Array<Hash>] their fields
      def noticed(notices) = notices ? ErrorFields.enum_for(:each, notices).to_a : []

      # Executes a statement that is prepared already.
      #
      # @return [Request] answered
      def ask_and_answer(sql, columns, *rows, types: [], parameters: [])
        request = ask(sql, *parameters)
        answer(first_answer(columns, *rows, types: types))
        sent
        request
      end
    end
  end
end
