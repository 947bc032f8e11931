# frozen_string_literal: true

require "socket"
require "tmpdir"
require_relative "gate_proxy/message_scanner"

module Trunkline
  # A proxy before a standby of an older version that simulates PostgreSQL 19: the number of its version, and WAIT FOR LSN, which is replaced by a
  # function of the database. Everything else is forwarded unchanged.
  class SimulatedReplayWaits
    # The command in PostgreSQL 19's documentation, as this client writes it; LSNs as the server writes them.
    COMMAND = %r{\AWAIT FOR LSN '(\h{1,8}/\h{1,8})' WITH \(TIMEOUT '(\d+)ms', NO_THROW\)\0\z}
    VERSION = "pg_catalog.current_setting('server_version_num')"
    # The function, with the server's three answers.
    FUNCTION = <<~SQL
      CREATE OR REPLACE FUNCTION wait_for_lsn(target pg_lsn, milliseconds int) RETURNS text LANGUAGE plpgsql AS $$
      DECLARE
        until timestamptz := clock_timestamp() + milliseconds * interval '1 millisecond';
      BEGIN
        LOOP
          IF NOT pg_is_in_recovery() THEN RETURN 'not in recovery'; END IF;
          IF pg_last_wal_replay_lsn() >= target THEN RETURN 'success'; END IF;
          IF clock_timestamp() >= until THEN RETURN 'timeout'; END IF;
          PERFORM pg_sleep(0.001);
        END LOOP;
      END $$
    SQL
    private_constant :COMMAND, :VERSION

    # A wait that was received: the position, and its timeout.
    Wait = Struct.new(:lsn, :milliseconds)

    # @return [String] what is sent to the standby in place of a wait: the function, with both of its parameters
    attr_accessor :answer

    # Where clients connect.
    attr_reader :socket_directory, :port

    # @param standby [#socket_directory, #port]
    # @param waits [Thread::Queue] gets each Wait that comes
    # @param version [Integer] server_version_num
    def initialize(standby, waits, version)
      @standby = standby
      @waits = waits
      @version = version
      @answer = "SELECT wait_for_lsn('%s', %d) AS status"
      @socket_directory = Dir.mktmpdir("nineteen")
      @port = 5432
      @listener = UNIXServer.new(File.join(@socket_directory, ".s.PGSQL.#{@port}"))
      @sockets = []
      @threads = []
      @thread = Thread.new { serve }
    end

    # Ends each connection through it.
    def close
      @closing = true
      UNIXSocket.new(File.join(@socket_directory, ".s.PGSQL.#{@port}")).close # a thread that accepts is not woken otherwise on each Ruby
      @thread.join
      disconnect
      @threads.each(&:join)
      @listener.close
      FileUtils.rm_rf(@socket_directory)
    end

    def disconnect
      @sockets.each do |socket|
        socket.shutdown
      rescue SystemCallError, IOError
        next
      end
    end

    private

    def serve
      until @closing
        client = @listener.accept
        server = UNIXSocket.new(File.join(@standby.socket_directory, ".s.PGSQL.#{@standby.port}"))
        @sockets.push(client, server)
        @threads.push(Thread.new { passing(client, server) { |message| changed(message) } }, Thread.new { passing(server, client) })
      end
    end

    # Forwards what comes, the client's bytes message by message, until either end has closed.
    def passing(from, to)
      typed = false
      buffer = "".b
      loop do
        bytes = from.readpartial(65_536)
        next to.write(bytes) unless block_given?

        buffer << bytes
        while (length = buffer.byteslice(typed ? 1 : 0, 4)&.unpack1("N")) && buffer.bytesize >= (size = length + (typed ? 1 : 0))
          message = buffer.slice!(0, size)
          to.write(typed ? yield(message) : message)
          typed ||= message.byteslice(4, 4).unpack1("N") == 196_608
        end
      end
    rescue SystemCallError, IOError
      [from, to].each { |socket| socket.close unless socket.closed? }
    end

    def changed(message)
      return message.sub(VERSION, "'#{@version}'").then { |said| said[0] + [said.bytesize - 1].pack("N") + said[5..] } if message.start_with?("P")
      return message unless message.start_with?("Q") && message.byteslice(5..).start_with?("WAIT")

      match = COMMAND.match(message.byteslice(5..)) or return query("this is no WAIT FOR LSN of PostgreSQL 19")
      @waits << Wait.new(match[1], Integer(match[2]))
      query(@answer.sub("%s", match[1]).sub("%d", match[2]))
    end

    def query(sql) = "Q#{[sql.bytesize + 5].pack("N")}#{sql}\0"
  end
end
