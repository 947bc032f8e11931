# frozen_string_literal: true

require "etc"
require "fileutils"
require "securerandom"
require_relative "../../bench/support/servers/free_port"
require_relative "../../bench/support/servers/tls_authority"

module Trunkline
  # A private PostgreSQL of another Debian release, run inside its root. It encrypts, and trusts the role "postgres".
  class RootedServer
    HBA = <<~CONF
      local all all      trust
      host  all postgres 127.0.0.1/32 trust
      host  all salted   127.0.0.1/32 scram-sha-256
    CONF
    private_constant :HBA

    # @return [Integer]
    attr_reader :port

    # @param root [DebianRoot]
    def initialize(root)
      @root = root
      @inside = "/tmp/server-#{SecureRandom.hex(4)}"
      @folder = File.join(root.path, @inside)
      @port = Bench::FreePort.find
    end

    # @return [RootedServer] self, ready for connections
    def start
      run("initdb", "-D", @inside, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
      File.write(File.join(@folder, "pg_hba.conf"), HBA)
      bring_certificates
      @pid = Process.spawn(*@root.as_postgres, @root.program("postgres"), "-D", @inside, *settings, out: File::NULL, err: log)
      wait
      self
    end

    # Runs SQL on the server.
    def psql(sql) = run("psql", "-XAtq", "-h", @inside, "-p", port.to_s, "-U", "postgres", "-c", sql)

    # Ends it and removes what it has left.
    def stop
      Process.kill(:INT, @pid)
      Process.wait(@pid)
      FileUtils.rm_rf(@folder)
    end

    private

    def log = "#{@root.path}.log"

    def run(program, *arguments)
      IO.popen([*@root.as_postgres, @root.program(program), *arguments, err: log], &:read).tap { raise "#{program} failed: see #{log}" unless $?.success? }
    end

    def settings
      { "port" => port, "listen_addresses" => "127.0.0.1", "unix_socket_directories" => @inside, "fsync" => "off", "ssl" => "on",
        "ssl_ca_file" => "root.crt" }.flat_map { |name, value| ["-c", "#{name}=#{value}"] }
    end

    def bring_certificates
      authority = Bench::TLSAuthority.shared
      authority.issue("server", names: %w[DNS:localhost IP:127.0.0.1])
      owner = File.stat(@folder)
      %w[server.crt server.key root.crt].each do |name|
        FileUtils.cp(authority.path(name), @folder, preserve: true)
        File.chown(owner.uid, owner.gid, File.join(@folder, name))
      end
    end

    # The last line of the server's lock file is its state.
    def wait
      100.times do
        return if File.exist?(lock) && File.readlines(lock, chomp: true)[7].to_s.strip == "ready"
        raise "PostgreSQL did not start: see #{log}" if Process.wait(@pid, Process::WNOHANG)

        sleep 0.1
      end
      raise "PostgreSQL is not ready: see #{log}"
    end

    def lock = File.join(@folder, "postmaster.pid")
  end
end
