# frozen_string_literal: true

require "action_dispatch"
require "action_dispatch/middleware/session/abstract_store"

module Rack
  module Session
    class Trunkline
      # The same sessions for a Rails application, which has its own classes of requests and sessions.
      class OfRails < Trunkline # :nodoc:
        include ActionDispatch::Session::Compatibility
        include ActionDispatch::Session::StaleSessionCheck
        include ActionDispatch::Session::SessionObject

        # @param env [Hash] Rack's environment
        # @return [Array] status, headers, body
        def call(env) = answer(env)
      end
      private_constant :OfRails
    end
  end
end
