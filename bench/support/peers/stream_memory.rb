# frozen_string_literal: true

require "trunkline"
require_relative "../measure"

module Trunkline
  module Bench
    module Peers
      # A stream of rows of a kibibyte each, and the memory that it takes.
      class StreamMemory
        ROW = 1024 # bytes

        def initialize(uri:)
          @db = Trunkline.postgres(uri)
        end

        # @return [Hash] wall and cpu (seconds), bytes streamed; resident before, and at most (KiB)
        def measure(bytes:)
          stream(ROW * 1000)
          before = resident("VmRSS")
          File.write("/proc/self/clear_refs", "5") # from now on, the peak is counted anew
          taken = Measure.run { stream(bytes) }
          { wall: taken[:wall], cpu: taken[:cpu], bytes: taken[:result], before: before, peak: resident("VmHWM") }
        end

        private

        def stream(bytes)
          @db.stream("SELECT repeat('x', #{ROW}) AS text FROM generate_series(1, $1)", bytes / ROW).sum { |row| row["text"].bytesize }
        end

        def resident(which) = File.read("/proc/self/status")[/#{which}:\s+(\d+)/, 1].to_i
      end
    end
  end
end
