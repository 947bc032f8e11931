# frozen_string_literal: true

require_relative "../operation"

module Trunkline
  module Memcached
    # What differs in the servers of a client with middlewares: commands and connecting use these. It extends them, so that others have no cost.
    module Instrumented # :nodoc:
      # The same for one server.
      module Server
        private

        def open(pool) = @middlewares.around(Operation.new(:connect, name, hook: :connect, arguments: [name], system: :memcached)) { super }
      end

      def perform(request, key) = command(request.command, [key], @name) { super }
      def flush_all(delay) = command("flush_all", [], @name) { super }
      def perform_on(server, request) = command(request.command[/\w+/], [], server.name) { super }

      # The command's name is also needed if there are no keys.
      def perform_all(keys, companions, changes: false, &request)
        command(yield([], []).command, keys, @name) { super }
      end

      private

      def command(name, keys, server, &call)
        @middlewares.around(Operation.new(:command, server, name, keys, hook: :command, arguments: [name, keys, server], system: :memcached), &call)
      end
    end
    private_constant :Instrumented
  end
end
