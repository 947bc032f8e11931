# frozen_string_literal: true

require "fileutils"
require "rbconfig"

module Trunkline
  module Bench
    module Peers
      # Not a side of a comparison, but the way there: passes on what comes from a client to a server and back, each byte a while after it came, as a
      # long wire does. A program in C does it: one in Ruby took as much of the processors that the sides share as the sides themselves.
      class SlowLink
        SOURCE = File.expand_path("slow_link.c", __dir__)
        PROGRAM = File.expand_path("../../../tmp/slow_link", __dir__)
        private_constant :SOURCE, :PROGRAM

        # @param port [Integer] of the server on 127.0.0.1
        # @param delay [Float] seconds on the way and back, together
        def initialize(port:, delay:)
          compile unless File.exist?(PROGRAM) && File.mtime(PROGRAM) >= File.mtime(SOURCE)
          @program = IO.popen([PROGRAM, port.to_s, (delay / 2 * 1e9).round.to_s], "r+") # ends with this process
          @port = Integer(@program.gets)
        end

        # @return [Integer] where it listens
        attr_reader :port

        private

        # Several processes may do it at the same time.
        def compile
          FileUtils.mkdir_p(File.dirname(PROGRAM))
          compiled = "#{PROGRAM}.#{Process.pid}"
          system(*RbConfig::CONFIG["CC"].split, "-O2", "-Wall", "-Wextra", "-Werror", "-o", compiled, SOURCE, exception: true)
          File.rename(compiled, PROGRAM)
        end
      end
    end
  end
end
