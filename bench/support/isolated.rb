# frozen_string_literal: true

require "json"
require "rbconfig"

module Trunkline
  module Bench
    # One side of a comparison in a process of its own, so that neither side pays for the other's threads and garbage.
    #
    #   peer = Isolated.new("pg_selects", uri: server.uri, threads: 16)
    #   peer.call(:measure, count: 10_000)      # => { wall: 0.26, ... }
    #   peer.close
    #
    # "pg_selects" is the file peers/pg_selects.rb and the class Peers::PgSelects; keywords go to its constructor. A peer in another
    # language is a program that gets them as JSON after its own arguments, and answers requests as isolated_process.rb does.
    class Isolated
      PROGRAM = File.expand_path("isolated_process.rb", __dir__)
      private_constant :PROGRAM

      @count = 0

      class << self
        # @return [String] a name that no other peer of this run has
        def next_session_name(peer) = "#{peer} #{@count += 1}"
      end

      # @return [String] application_name of the peer's sessions
      attr_reader :session_name

      # @param peer [String] name of a file in peers/
      # @param program [Array<String>] what runs it
      # @param options keywords of the peer's constructor; plain values that JSON knows
      def initialize(peer, program: [RbConfig.ruby, PROGRAM, peer], **options)
        @peer = peer
        @session_name = self.class.next_session_name(peer)
        input, @requests = IO.pipe
        @answers, output = IO.pipe
        @pid = Process.spawn(environment, *program, JSON.generate(options), in: input, out: output)
        [input, output].each(&:close)
        at_exit { close }
      end

      # Whether it can say what it got; all peers can.
      def answers? = true

      # Calls a method of the peer over there.
      # @param arguments keywords; plain values that JSON knows
      # @return [Object] what it returned, by way of JSON, with Symbols for keys
      # @raise [RuntimeError] the peer failed; its message
      def call(method, **arguments)
        @requests.puts(JSON.generate(method: method, arguments: arguments))
        line = @answers.gets or raise "#{@peer} ended before it answered"
        answer = JSON.parse(line, symbolize_names: true)
        raise "#{@peer}: #{answer[:error]}" if answer.key?(:error)

        answer[:result]
      end

      # Ends the process, which leaves nothing behind. It is not asked: unshare, in front of a root's programs, would not hear.
      def close
        return unless @pid

        Process.kill("KILL", @pid)
        Process.wait(@pid)
        @pid = nil
      end

      private

      # A failure comes back as an answer: Async need not log it for every fiber too.
      def environment = { "TZ" => "UTC", "PGAPPNAME" => session_name, "CONSOLE_LEVEL" => "error" }
    end
  end
end
