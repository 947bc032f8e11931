# frozen_string_literal: true

require_relative "codec_testing"

module Trunkline
  module Postgres
    # A client without a server: each request that travels meets the next answer of a script, which is bytes, or a Loss.
    class ScriptedAsker
      include Querying
      include CodecTesting

      attr_reader :requests

      # @param answers [Array<String, Loss>]
      # @param keys [:string, :symbol] of the Hashes
      def initialize(*answers, keys: :string, exclusive: false)
        begin_session
        codec.exclusive = exclusive
        @script = answers
        @result_class = ResponseReader.result_class(keys)
        @statements = Statements.new.table
        @responses = ResponseReader.new(Types.new, "server:5432/db") { |sql, parameters| query(sql, *parameters).rows }
        @requests = []
      end

      # As a session does it.
      def execute_script(sql)
        request = Request.script(sql)
        perform(request)
        @responses.results(retry_until_answered(request), @result_class)
      end

      def perform(request)
        requests << request
        codec.submit(request)
        meet(@script.shift)
      end

      def dispatch(request)
        requests << request
        codec.submit(request)
        self
      end

      # What a trunk does for a future.
      def await(_request, _deadline) = meet(@script.shift)

      # @return [Boolean] whether the script is at its end
      def through? = @script.empty?

      private

      def meet(step)
        raise "nothing is left of the script" unless step
        return answer(step) if step.is_a?(String)

        codec.fail(woken) { step }
        begin_session
      end
    end
  end
end
