# frozen_string_literal: true

require_relative "../../operation"

module Trunkline
  module Postgres
    # What the session of a client with middlewares does differently: where a stream or a COPY waits for the server, that time is the
    # operation's that the fiber is at.
    module InstrumentedFlow # :nodoc:
      def follow(request) = awaited { super }
      def feed(request, most) = awaited { super }

      private

      def awaited(&wait) = (operation = Operation.current) ? operation.await_server(&wait) : yield
    end
    private_constant :InstrumentedFlow
  end
end
