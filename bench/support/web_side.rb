# frozen_string_literal: true

require_relative "servers/web_server"

module Trunkline
  module Bench
    # A web server that is compared with others, and the application_name of its connections, by which the database's server knows them.
    WebSide = Struct.new(:web, :application) do
      # Opens several, which run beside each other, so that they can be measured in turns.
      # @param openers [Hash{String => Array(String, #call)}] application_name, and what opens a {WebServer}, yields it, and ends it, by the side's name
      # @yieldparam sides [Hash{String => WebSide}] by name
      # @return [Object] what the block returned
      def self.together(openers)
        WebServer.together(openers.transform_values(&:last)) { |webs| yield(webs.to_h { |name, web| [name, new(web, openers.fetch(name).first)] }) }
      end
    end
  end
end
