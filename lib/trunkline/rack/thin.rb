# frozen_string_literal: true

require_relative "../schedulers/event_machine"

module Trunkline
  # For Rack applications.
  module Rack
    # Middleware for servers on EventMachine (Thin): every request runs in a fiber of its own, so that while it waits, for a query, a Queue, a socket
    # or a sleep, the server handles others. The application needs no change.
    #
    #   # config.ru
    #   require "trunkline/rack/thin"
    #   use Trunkline::Rack::Thin
    #   run MyApplication
    #
    # Under other servers it does nothing.
    class Thin
      # Tells the server that the response follows by the callback.
      LATER = [-1, {}, []].freeze
      FAILED = [500, { "content-type" => "text/plain", "content-length" => "21" }, ["Internal Server Error"]].freeze
      private_constant :LATER, :FAILED

      # @param app [#call] a Rack application
      def initialize(app)
        @app = app
      end

      # @param env [Hash] Rack's environment
      # @return [Array] the response, or LATER
      def call(env)
        callback = env["async.callback"]
        return @app.call(env) unless callback && EM.reactor_thread? && Fiber.current.blocking?

        Schedulers::EventMachine.install
        Fiber.schedule { callback.call(answer(env)) }
        LATER
      end

      private

      # A fiber has no caller that could rescue an exception.
      def answer(env)
        catch(:async) { return @app.call(env) }
        LATER
      rescue StandardError, ScriptError => error
        (env["rack.errors"] || $stderr).write(error.full_message(highlight: false))
        FAILED
      end
    end
  end
end
