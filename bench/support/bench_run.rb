# frozen_string_literal: true

require "fileutils"
require "json"
require "rbconfig"
require_relative "measure"

module Trunkline
  module Bench
    # One bench in a process of its own. What it prints is kept in tmp/bench.
    class BenchRun
      LOGS = File.expand_path("../../tmp/bench", __dir__)
      LONGEST = 1200 # seconds
      GRACE = 60     # seconds, to end its servers and the other sides
      private_constant :LOGS, :LONGEST, :GRACE

      # @return [String] the program's, without a folder
      attr_reader :name
      # @return [Integer] seconds that it took
      attr_reader :seconds
      # @return [String, nil] why there is no result
      attr_reader :failure

      # @param path [String] of a program
      # @param arguments [Array<String>] its command line
      # @param longest [Numeric] seconds that it may take
      def initialize(path, arguments: [], longest: LONGEST)
        @path = path
        @name = File.basename(path, ".rb")
        @arguments = arguments
        @longest = longest
      end

      # @return [String] what it is about: the words at the head of its file
      def purpose = File.read(@path)[/^# .+\n(# .+\n)*(?=\nrequire)/].gsub(/^# /, "").tr("\n", " ").strip

      # Runs it.
      # @return [Hash, nil] what it found, with Symbols for keys; nil when it failed or took too long
      def result
        started = Measure.now
        FileUtils.mkdir_p(LOGS)
        status = run
        return JSON.parse(File.read(file("json")), symbolize_names: true) if status.success?

        @failure ||= status.exited? ? error : status.to_s
        nil
      rescue JSON::ParserError => error
        @failure = error.message[0, 200]
        nil
      ensure
        @seconds = (Measure.now - started).round
      end

      private

      def file(kind) = File.join(LOGS, "#{name}.#{kind}")

      # @return [String] the line with the exception's class, before those of its backtrace; or the last one
      def error
        lines = File.readlines(file("log"), chomp: true)
        (lines.grep(/\([A-Z]\w*(::[A-Z]\w*)*\)\z/).last || lines.last.to_s)[0, 300]
      end

      # @return [Process::Status]
      def run
        pid = Process.spawn(RbConfig.ruby, @path, "--json", *@arguments, out: file("json"), err: file("log"))
        waiting = Process.detach(pid)
        stop(pid, waiting) unless waiting.join(@longest)
        waiting.value
      ensure
        Process.kill("TERM", pid) if waiting&.alive? # the waiting thread was interrupted
      end

      def stop(pid, waiting)
        @failure = "stopped after #{@longest} s"
        Process.kill("TERM", pid)
        Process.kill("KILL", pid) unless waiting.join(GRACE)
      rescue Errno::ESRCH
        nil # it has ended by itself, just now
      end
    end
  end
end
