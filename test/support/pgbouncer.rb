# frozen_string_literal: true

require "fileutils"
require "socket"
require_relative "../../bench/support/servers/free_port"
require_relative "../../bench/support/servers/keeper"

# A private PgBouncer in front of a private PostgreSQL, in transaction mode: outside of a transaction a client may get another server session each
# time, without the statements that it has prepared. It ends with the block, or with this process.
#
#   PgBouncer.open(server, pool: 2) { |pooler| Trunkline.postgres(pooler.uri, prepare: false) }
class PgBouncer
  # The path of another version; nil: the system's is used.
  GIVEN = ENV.fetch("TRUNKLINE_PGBOUNCER", nil)
  PROGRAM = GIVEN || %w[/usr/sbin/pgbouncer pgbouncer].find { |path| File.executable?(path) } || "pgbouncer"
  START_TIMEOUT = 20 # seconds
  private_constant :START_TIMEOUT

  # @param server [#socket_directory, #port] the PostgreSQL behind it
  # @param pool [Integer] server sessions
  # @param mode [String] what they are given for: "transaction", "statement", "session"
  # @param kept [Integer] statements of each client that it keeps, from 1.21 on; older ones keep none
  # @param clients [Integer] connections that it takes
  # @param program [String] its path
  # @param settings [Hash] more of its configuration
  def self.open(server, pool:, mode: "transaction", kept: 0, clients: 100, program: PROGRAM, **settings)
    pooler = new(server, pool: pool, mode: mode, kept: kept, clients: clients, program: program, **settings)
    yield pooler
  ensure
    pooler&.stop
  end

  # @return [Gem::Version]
  def self.version(program = PROGRAM)
    (@versions ||= {})[program] ||= Gem::Version.new(IO.popen([program, "--version"], &:read)[/\d+\.\d+/])
  end

  # Whether it can keep the statements that clients prepare.
  def self.keeps_statements?(program = PROGRAM) = version(program) >= Gem::Version.new("1.21")

  # Whether it crashes if a cancel request's connection is closed before the request was forwarded (its issue 801, fixed in 1.19).
  def self.ended_by_closed_cancels?(program = PROGRAM) = version(program) < Gem::Version.new("1.19")

  # Whether clients may set IntervalStyle.
  def self.tracks_interval_style? = version >= Gem::Version.new("1.20")

  # @return [Integer] on 127.0.0.1
  attr_reader :port

  # @return [String] connection URI
  def uri = "postgresql://postgres@127.0.0.1:#{@port}/postgres"

  # As {open}, without an end.
  def initialize(server, pool:, mode: "transaction", kept: 0, clients: 100, program: PROGRAM, **settings)
    @program = program
    @settings = { auth_type: "any", pool_mode: mode, default_pool_size: pool, max_client_conn: clients, **settings }
    @settings[:max_prepared_statements] = kept if self.class.keeps_statements?(program)
    @port = Trunkline::Bench::FreePort.find
    @folder = File.join(Trunkline::Bench::Keeper.instance.folder, "pgbouncer-#{@port}")
    FileUtils.mkdir_p(@folder)
    FileUtils.chmod(0o777, @folder)
    write_configuration(server)
    start
  end

  # Makes it use another server: clients stay connected, and get that one at some moment.
  #
  # @param server [#socket_directory, #port]
  def lead_to(server)
    write_configuration(server)
    Process.kill(:HUP, @pid)
  end

  # @return [Boolean] whether it still runs
  def running? = Trunkline::Bench::Keeper.instance.running?(@pid)

  # Runs the block while it is stopped, and its kernel accepts all that is sent.
  def frozen
    Process.kill(:STOP, @pid)
    yield
  ensure
    Process.kill(:CONT, @pid)
  end

  # Ends it, and starts it again at the same port.
  def restart
    Trunkline::Bench::Keeper.instance.stop(@pid)
    start
  end

  def stop
    Trunkline::Bench::Keeper.instance.stop(@pid) if @pid
    FileUtils.rm_rf(@folder)
  end

  private

  def write_configuration(server)
    lines = { listen_addr: "127.0.0.1", listen_port: @port, unix_socket_dir: "", **@settings }.map { |name, value| "#{name} = #{value}" }
    File.write(configuration, <<~INI)
      [databases]
      * = host=#{server.socket_directory} port=#{server.port} user=postgres
      [pgbouncer]
      #{lines.join("\n")}
    INI
  end

  def configuration = File.join(@folder, "ini")

  def start
    log = File.join(@folder, "log")
    @pid = Trunkline::Bench::Keeper.instance.spawn(@program, configuration, log: log)
    deadline = now + START_TIMEOUT
    until listening?
      raise "PgBouncer did not start:\n#{File.read(log)}" if now > deadline || !Trunkline::Bench::Keeper.instance.running?(@pid)

      sleep(0.01)
    end
  end

  def listening?
    TCPSocket.new("127.0.0.1", @port).close
    true
  rescue Errno::ECONNREFUSED
    false
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
