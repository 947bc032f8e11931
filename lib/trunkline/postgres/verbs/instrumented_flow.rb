# frozen_string_literal: true

require_relative "../../operation"

module Trunkline
  module Postgres
    # What differs in the session of a client with middlewares: the time that a stream or a COPY waits for the server is added to the fiber's current
    # operation.
    module InstrumentedFlow # :nodoc:
      def follow(request) = awaited { super }
      def feed(request, most) = awaited { super }

      private

      def awaited(&wait) = (operation = Operation.current) ? operation.await_server(&wait) : yield
    end
    private_constant :InstrumentedFlow
  end
end
