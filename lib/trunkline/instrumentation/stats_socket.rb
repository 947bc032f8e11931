# frozen_string_literal: true

require "etc"
require "fileutils"
require "json"
require "socket"
require "tmpdir"
require_relative "snapshot"

module Trunkline
  # A Unix socket by which `trunkline top` finds this process. A thread sends the clients' `stats` there; only the same user can connect.
  #
  #   Trunkline::StatsSocket.open(db, cache)               # the whole life of the process; in each process after a fork
  class StatsSocket
    # @return [String] the default folder of processes' sockets: among the temporary files, or, if another user has taken that name, in this user's
    #   home directory
    def self.folder
      usual = File.join(Dir.tmpdir, "trunkline-#{Process.euid}")
      taken?(usual) ? File.join(Etc.getpwuid(Process.euid).dir, ".trunkline") : usual
    rescue ArgumentError # this user has no entry in the user database, and no home
      usual
    end

    def self.taken?(folder)
      File.lstat(folder).uid != Process.euid
    rescue Errno::ENOENT
      false
    end
    private_class_method :taken?

    # @param clients [Array<Postgres::Client, Memcached::Client>]
    # @param folder [String] created if missing; no other user may enter it
    # @return [StatsSocket] open until the process ends
    # @raise [ArgumentError] one of them is not a client, or there is none
    # @raise [ConfigError] others may enter the folder
    # @raise [SystemCallError] the socket cannot be created
    def self.open(*clients, folder: self.folder) = new(clients, folder)

    # @return [String]
    attr_reader :path

    def initialize(clients, folder) # :nodoc:
      Snapshot.check(clients)
      @clients = clients
      @owner = Process.pid
      @path = File.join(private_folder(folder), "#{@owner}.sock")
      @server = listen
      @thread = Thread.new { serve_all }
      @thread.name = "trunkline stats"
      at_exit { close }
    end

    # Removes the socket. A forked child leaves it to its parent.
    #
    # @return [nil]
    def close
      return unless @owner == Process.pid && !@server.closed?

      @thread.kill
      @server.close
      FileUtils.rm_f(@path)
    end

    # @return [String]
    def inspect = "#<#{self.class} #{@path}>"

    private

    def private_folder(folder)
      FileUtils.mkdir_p(folder, mode: 0o700)
      found = File.lstat(folder)
      return folder if found.directory? && found.owned? && (found.mode & 0o077).zero?

      raise ConfigError, "others may enter #{folder}, or lead it elsewhere: it must be a folder of this user, no link, with mode 0700; folder: names another"
    rescue Errno::EEXIST
      raise ConfigError, "#{folder} is no folder; folder: names another"
    end

    # A former process with the same ID may have left its socket.
    def listen
      FileUtils.rm_f(@path)
      ::UNIXServer.new(@path).tap { File.chmod(0o600, @path) }
    end

    def serve_all
      loop { serve(@server.accept) }
    rescue IOError
      # closed
    end

    # A client that does not read its answer is abandoned.
    def serve(caller)
      caller.write(JSON.generate(Snapshot.take(@clients)))
    rescue SystemCallError
      nil
    ensure
      caller.close
    end
  end
end
