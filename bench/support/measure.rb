# frozen_string_literal: true

module Trunkline
  module Bench
    # Time, processor and memory of a piece of work.
    module Measure
      module_function

      # @yieldreturn [Object] the work's own result
      # @return [Hash] wall and cpu (seconds, this process's threads together), objects (allocated), result
      def run
        GC.start
        objects = GC.stat(:total_allocated_objects)
        cpu = own_cpu
        wall = now
        result = yield
        { wall: now - wall, cpu: own_cpu - cpu, objects: GC.stat(:total_allocated_objects) - objects, result: result }
      end

      # @yieldreturn [Object] the work's own result
      # @return [Hash] user, system and real (seconds, this process's threads together), result
      def times
        GC.start
        before = Process.times
        start = now
        result = yield
        real = now - start
        after = Process.times
        { user: after.utime - before.utime, system: after.stime - before.stime, real: real, result: result }
      end

      # @return [Float] seconds of a clock that only goes forward
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      # @return [Float] seconds of processor that this process has used, in user and system mode
      def own_cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

      # @return [Numeric] the middle one
      def median(values)
        sorted = values.sort
        middle = sorted.size / 2
        sorted.size.odd? ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0
      end

      # @param results [Array<Hash>] of runs
      # @param keys [Array<Symbol>] of numbers
      # @return [Hash{Symbol => Numeric}] the median of each
      def medians(results, keys = results.first.keys) = keys.to_h { |key| [key, median(results.map { |result| result[key] })] }
    end
  end
end
