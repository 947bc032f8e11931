# frozen_string_literal: true

require "optparse"

module Trunkline
  module CLI
    # The options of `trunkline doctor`.
    module DoctorOptions # :nodoc:
      BANNER = <<~TEXT
        Usage: trunkline doctor [OPTIONS] [URL]

        Connects as the application would, and says what it finds and what to set. It changes nothing.

        URL is a connection string as the application has it; what it leaves out comes from the PG* variables, the service
        file and .pgpass. Others on this machine can see a password in it: leave it to those. memcached servers are
        written memcached://host:port or host:port, several separated by commas.

      TEXT
      private_constant :BANNER

      # @return [OptionParser]
      def self.parser
        OptionParser.new(BANNER) do |parser|
          parser.on("--connections N", Integer, "the most that queries share, as in the application; 4, or --max-connections if less")
          parser.on("--max-connections N", Integer, "the most in all, as in the application; 16")
          parser.on("--processes N", Integer, "of the application, on all machines; 1")
          parser.on("--[no-]prepare", "as prepare: false in the application")
        end
      end
    end
  end
end
