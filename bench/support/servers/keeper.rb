# frozen_string_literal: true

require "json"
require "rbconfig"

module Trunkline
  module Bench
    # Speaks to the keeper process, which ends every server and removes its folder when this process ends,
    # whatever way it ends. One per process; a forked child starts its own when it needs one.
    class Keeper
      PROGRAM = File.expand_path("keeper_process.rb", __dir__)
      OUTSIDE_BUNDLER = { "RUBYOPT" => nil, "RUBYLIB" => nil }.freeze
      private_constant :PROGRAM, :OUTSIDE_BUNDLER

      @lock = Mutex.new

      class << self
        # @return [Keeper] this process's keeper, started on first use
        def instance
          @lock.synchronize do
            @instance = new unless @instance&.mine?
            @instance
          end
        end
      end

      # @return [String] the folder that goes when this process does; it belongs to the account the servers run as
      attr_reader :folder

      def initialize
        @owner = Process.pid
        @lock = Mutex.new
        start
        @folder = receive.fetch(:folder)
        at_exit { close if mine? }
      end

      # @return [Boolean] false in a forked child, whose parent goes on using the keeper
      def mine? = @owner == Process.pid

      # Starts a program as the servers' account.
      # @param log [String] file that takes its output
      # @param stop [String] name of the signal that ends it in good order
      # @return [Integer] its process id
      def spawn(*argv, log:, stop: "TERM") = ask(spawn: argv, log: log, stop: stop).fetch(:pid)

      # Runs a program to its end.
      # @raise [RuntimeError] with the program's output when it fails
      def run(*argv, log:)
        status = ask(wait: spawn(*argv, log: log)).fetch(:status)
        raise "#{File.basename(argv.first)} failed:\n#{File.read(log)}" unless status.zero?
      end

      # @return [Boolean] whether a program that was started has not ended
      def running?(pid) = ask(running: pid).fetch(:running)

      # Ends a program; kills it when it has not gone after five seconds.
      # @return [Integer, nil] its exit status
      def stop(pid) = ask(stop: pid).fetch(:status)

      # Ends all programs, removes the folder.
      def close
        @requests.close unless @requests.closed?
        Process.wait(@pid)
      rescue Errno::ECHILD
        nil
      end

      private

      def start
        input, @requests = IO.pipe
        @answers, output = IO.pipe
        @pid = Process.spawn(OUTSIDE_BUNDLER, RbConfig.ruby, "--disable=gems", PROGRAM, in: input, out: output)
        [input, output].each(&:close)
      end

      def ask(request)
        @lock.synchronize do
          @requests.puts(JSON.generate(request))
          receive
        end
      end

      def receive
        line = @answers.gets or raise "the keeper of the private servers is gone"
        answer = JSON.parse(line, symbolize_names: true)
        raise answer[:error] if answer.key?(:error)

        answer
      end
    end
  end
end
