# frozen_string_literal: true

require "optparse"

module Trunkline
  module CLI
    # The options of `trunkline top`.
    module TopOptions # :nodoc:
      BANNER = <<~TEXT
        Usage: trunkline top [OPTIONS] [PID]

        Shows what the clients of a running process do, until it is interrupted. The process says, once for all its clients:

            Trunkline::StatsSocket.open(db)

        load: how many executions of the statement the server was busy with, on average.

      TEXT
      private_constant :BANNER

      # @return [OptionParser]
      def self.parser
        OptionParser.new(BANNER) do |parser|
          parser.on("--folder PATH", "of the process's socket, if it is not the default")
          parser.on("--interval SECONDS", Float, "between two updates; 1")
          parser.on("--once", "look once")
        end
      end
    end
  end
end
