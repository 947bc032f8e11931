# frozen_string_literal: true

require_relative "query_messages"

module Trunkline
  module Postgres
    # A codec without a server: `ask` puts a question in, `answer` what the server says to it.
    module CodecTesting
      include QueryMessages
      include FrontendMessages

      LIMIT = 1 << 20 # bytes

      attr_reader :codec, :woken

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

      # A statement that the server knows already.
      #
      # @return [Request] answered
      def ask_and_answer(sql, columns, *rows, types: [], parameters: [])
        request = ask(sql, *parameters)
        answer(first_answer(columns, *rows, types: types))
        sent
        request
      end

      # The codec takes in the bytes.
      #
      # @return [Boolean] whether the session can be trusted on
      def answer(bytes)
        codec.input << bytes
        codec.receive(woken)
      end

      # @return [String] what the codec has to send since this was last asked
      def sent
        bytes = codec.output.to_s
        fresh = bytes.byteslice(@sent_before..)
        @sent_before = bytes.bytesize
        fresh
      end

      def assert_nonsense(bytes, expected)
        error = assert_raises(ProtocolError) { answer(bytes) }
        assert_match expected, error.message
      end
    end
  end
end
