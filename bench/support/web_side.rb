# frozen_string_literal: true

require_relative "servers/web_server"

module Trunkline
  module Bench
    # A web server that is compared with others, and the application_name of its connections, by which the database's server knows them.
    WebSide = Struct.new(:web, :application) do
      # Opens several, which run beside each other, so that they can be measured in turns.
      # @param openers [Hash{String => Array(String, #call)}] by the side's name: application_name, and what opens a {WebServer}, yields it, ends it, and
      #   returns what the block returned
      # @yieldparam sides [Hash{String => WebSide}] by name
      # @return [Object] what the block returned
      def self.together(openers, sides = {}, &block)
        return yield sides if openers.empty?

        (name, (application, opener)), *others = openers.to_a
        opener.call { |web| together(others.to_h, { **sides, name => new(web, application) }, &block) }
      end
    end
  end
end
