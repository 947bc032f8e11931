# frozen_string_literal: true

require "net/http"
require "rbconfig"
require "tempfile"
require_relative "free_port"

module Trunkline
  module Bench
    # A Ruby web server of one kind with one application, on a free port of 127.0.0.1, gone with the block or this process.
    #
    #   WebServer.open(:thin, "config.ru", env: { "PGHOST" => "/tmp" }) { |server| server.get("/") }
    class WebServer
      PATIENCE = 600 # seconds for an answer
      COMMANDS = {
        # Thin ends a connection on which an answer takes 30 s, unless it is told otherwise.
        thin: ->(port, rackup, options) { ["start", "-q", "-a", "127.0.0.1", "-p", port, "-e", "production", "-t", PATIENCE.to_s, "-R", rackup, *options] },
        falcon: ->(port, rackup, options) { ["serve", "--bind", "http://127.0.0.1:#{port}", "--config", rackup, *options] },
        falcon_host: ->(_port, file, options) { ["host", file, *options] },
        puma: ->(port, rackup, options) { ["-q", "-e", "production", "-b", "tcp://127.0.0.1:#{port}", *options, rackup] },
        rage: ->(port, rackup, options) { ["server", "--port", port, "--binding", "127.0.0.1", "--environment", "production", "--config", rackup, *options] }
      }.freeze
      # Gem and program, where their names are not the kind's.
      PROGRAMS = { falcon_host: %w[falcon falcon], rage: %w[rage-rb rage] }.freeze
      START_TIMEOUT = 600 # seconds; an application of Rails takes 30 on a busy machine, and took over 120 at a load of 20 on two processors
      STOP_TIMEOUT = 30  # seconds
      ATTEMPTS = 3       # another process may take the free port first
      private_constant :COMMANDS, :PROGRAMS, :START_TIMEOUT, :STOP_TIMEOUT, :PATIENCE, :ATTEMPTS

      # @param kind [Symbol] :thin, :falcon, :puma, :rage, or :falcon_host, which takes its port from the variable PORT
      # @param rackup [String] absolute path of the application, whose folder the server works in; for :falcon_host, of the file that names its services
      # @param env [Hash{String => String}] for the server's process
      # @param options [Array<String>] more of the server's own
      # @param program [Array<String>, nil] what runs the server's program, where that is not this Ruby with the bundle's gem: the application may lie in another root then
      # @yieldparam server [WebServer] that takes connections
      # @raise [RuntimeError] with the server's output when it does not start
      def self.open(kind, rackup, env: {}, options: [], program: nil)
        server = new(kind, rackup, env, options, program)
        server.start
        yield server
      ensure
        server&.stop
      end

      # @return [Integer] process id
      attr_reader :pid
      # @return [Integer] TCP port on 127.0.0.1
      attr_reader :port

      def initialize(kind, rackup, env, options, program = nil)
        @kind = kind
        @rackup = rackup
        @env = env
        @options = options
        @program = program || [RbConfig.ruby, Gem.bin_path(*PROGRAMS.fetch(kind) { [kind.to_s] * 2 })]
        @owner = Process.pid
        @log = Tempfile.new("web")
      end

      def start
        at_exit { stop if @owner == Process.pid }
        ATTEMPTS.times do
          return self if FreePort.hold { |port| launch(port) && ready_in_time? }

          stop
        end
        raise "#{@kind} did not start:\n#{log}"
      end

      # @return [Net::HTTPResponse]
      def get(path) = asked { |http| http.get(path) }

      # @param json [String] the body
      # @return [Net::HTTPResponse]
      def post(path, json) = asked { |http| http.post(path, json, "content-type" => "application/json") }

      # @return [String] everything the server has printed
      def log = File.read(@log.path)

      # Ends the server and what it has started.
      def stop
        return unless @pid

        Process.kill(:TERM, @pid)
        soon(STOP_TIMEOUT) { Process.wait(@pid, Process::WNOHANG) } || Process.kill(:KILL, -@pid)
      rescue Errno::ESRCH, Errno::ECHILD
        nil
      ensure
        @pid = nil
      end

      private

      def asked(&block) = Net::HTTP.start("127.0.0.1", port, open_timeout: START_TIMEOUT, read_timeout: PATIENCE, &block)

      def launch(port)
        @port = port
        arguments = COMMANDS.fetch(@kind).call(@port.to_s, @rackup, @options)
        folder = File.dirname(@rackup)
        @pid = Process.spawn({ **@env, "PORT" => @port.to_s, "PWD" => folder }, *@program, *arguments, chdir: File.directory?(folder) ? folder : "/",
                             pgroup: true, out: @log.path, err: %i[child out], in: File::NULL)
      end

      def ready_in_time? = soon(START_TIMEOUT) { listening? || Process.wait(@pid, Process::WNOHANG) } == true

      def listening?
        TCPSocket.open("127.0.0.1", @port, &:close)
        true
      rescue Errno::ECONNREFUSED
        false
      end

      # @return what the block returns, once that is something
      def soon(seconds)
        limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
        until (found = yield) || Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
          sleep 0.01
        end
        found
      end
    end
  end
end
