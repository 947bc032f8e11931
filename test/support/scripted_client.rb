# frozen_string_literal: true

require "forwardable"
require_relative "codec_testing"

module Trunkline
  module Postgres
    # An executor without a server: each request gets the next answer of a script, which is bytes, or a Loss.
    class ScriptedExecutor < const_get(:Executor)
      include CodecTesting

      # @return [Array<Request>] that were sent
      attr_reader :requests

      # @param script [Array<String, Loss>]
      # @param asker [ScriptedClient]
      def initialize(script, statements, responses, asker, exclusive)
        super(statements, {}, responses, asker)
        begin_session
        codec.exclusive = exclusive
        @script = script
        @requests = []
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

      # As a trunk does for a future.
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

    # A client without a server.
    class ScriptedClient
      include Querying
      extend Forwardable

      def_delegators :@executor, :requests, :through?

      # @return [ScriptedExecutor]
      attr_reader :executor

      # @param answers [Array<String, Loss>]
      # @param keys [:string, :symbol] of the Hashes
      def initialize(*answers, keys: :string, exclusive: false)
        @result_class = ResponseReader.result_class(keys)
        @statements = Statements.new.table
        responses = ResponseReader.new(Types.new, "server:5432/db") { |sql, parameters| query(sql, *parameters).rows }
        @executor = ScriptedExecutor.new(answers, @statements, responses, self, exclusive)
      end

      # As a session does.
      def execute_script(sql)
        request = Request.script(sql)
        @executor.responses.results(@executor.perform_until_answered(request), @result_class)
      end
    end
  end
end
