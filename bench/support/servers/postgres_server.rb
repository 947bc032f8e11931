# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "free_port"
require_relative "keeper"
require_relative "postgres_binaries"

module Trunkline
  module Bench
    # A private PostgreSQL: its own data folder, a free port, a Unix socket and 127.0.0.1, gone with this process.
    # User and database are "postgres"; every user is trusted unless `hba` says otherwise.
    #
    #   server = PostgresServer.start(settings: { "shared_buffers" => "256MB" })
    #   server.psql("CREATE TABLE t (id int)")
    #   server.uri                            # => "postgresql:///postgres?host=/tmp/...&port=40123&user=postgres"
    #   server.stop
    class PostgresServer
      # Tests and benches have nothing to lose in a crash of the machine.
      SETTINGS = {
        "listen_addresses" => "127.0.0.1", "fsync" => "off", "synchronous_commit" => "off",
        "full_page_writes" => "off", "max_connections" => "400", "logging_collector" => "off", "timezone" => "UTC",
        "shared_buffers" => "128MB", "password_encryption" => "scram-sha-256", "autovacuum" => "off", "max_wal_size" => "4GB", "dynamic_shared_memory_type" => "posix"
      }.freeze
      TEMPLATE = "TRUNKLINE_SERVER_TEMPLATE"
      PRELOADED = "preloaded.so" # a library in the data folder that the server loads before all others, if it is there
      START_TIMEOUT = 120 # seconds; a PostgreSQL took 15 at a load of 20 on two processors
      ATTEMPTS = 3       # another process may take the free port first
      private_constant :SETTINGS, :START_TIMEOUT, :ATTEMPTS

      @count = 0
      @lock = Mutex.new

      class << self
        # @param settings [Hash{String => Object}] server settings over the defaults, e.g. "shared_buffers" => "256MB"
        # @param hba [String, nil] contents of pg_hba.conf
        # @param own_cluster [Boolean] whether it has a system identifier of its own: the other servers of a run are copies of one
        # @return [PostgresServer] ready for connections
        # @raise [RuntimeError] with the server's log when it does not start
        def start(settings: {}, hba: nil, own_cluster: false)
          new(own_cluster ? free_folder.tap { |folder| initialize_data(Keeper.instance, folder) } : next_folder, settings, hba).tap(&:start)
        end

        # initdb takes most of a start: one result serves every server of this process, and of the processes that find its folder in
        # their environment under the name TEMPLATE.
        # @param settings [Hash{String => String}] what servers have from this folder, unless they are started with other values
        # @param options [Array<String>] more of initdb's
        # @return [String] a data folder to be copied, gone with the process that made it
        def template(settings: {}, options: [])
          ENV.fetch(TEMPLATE) do
            keeper = Keeper.instance
            File.join(keeper.folder, "template").tap { |folder| make_template(keeper, folder, settings, options) unless File.exist?(folder) }
          end
        end

        # The primary is stopped, copied and started again, on another port: pg_basebackup serves no newer major version than its own.
        #
        # @param primary [PostgresServer]
        # @return [PostgresServer] a standby that follows it, ready for connections that read
        # @raise [RuntimeError] with the log of what failed
        def start_standby(primary) = start_standbys(primary, 1).first

        # @param primary [PostgresServer]
        # @param count [Integer]
        # @yieldparam number [Integer] of the standby, from 0 on
        # @yieldreturn [Hash{String => Object}] its settings, over the primary's
        # @return [Array<PostgresServer>] as {start_standby}
        def start_standbys(primary, count)
          folders = Array.new(count) { free_folder }
          primary.stop
          folders.each { |folder| copy(primary.socket_directory, folder) }
          primary.start
          folders.each_with_index.map do |folder, number|
            Keeper.instance.run("touch", File.join(folder, "standby.signal"), log: "#{folder}.log")
            new(folder, { **primary.settings, "primary_conninfo" => primary.uri, **(block_given? ? yield(number) : {}) }, nil).tap(&:start)
          end
        end

        private

        def next_folder = free_folder.tap { |folder| copy(@lock.synchronize { template }, folder) }

        def copy(from, to) = Keeper.instance.run("cp", "-R", from, to, log: "#{to}.log")

        def free_folder = File.join(Keeper.instance.folder, @lock.synchronize { @count += 1 }.to_s)

        def make_template(keeper, folder, settings, options)
          initialize_data(keeper, folder, *options)
          File.write(File.join(folder, "postgresql.conf"), settings.map { |name, value| "#{name} = '#{value}'\n" }.join, mode: "a")
        end

        def initialize_data(keeper, template, *options)
          keeper.run(PostgresBinaries.path("initdb"), "-D", template, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                     "--locale=C", "--no-sync", *options, log: "#{template}.log")
        end
      end

      # @return [String] folder of the Unix socket; fits `host=`
      attr_reader :socket_directory
      # @return [Integer] TCP port on 127.0.0.1, and the number in the socket's name
      attr_reader :port
      # @return [Integer] process id of the postmaster
      attr_reader :pid
      # @return [Hash{String => Object}] server settings, the defaults included
      attr_reader :settings

      # @param folder [String] data folder, ready for use; the socket and the log lie there too
      def initialize(folder, settings, hba)
        @socket_directory = folder
        @log = File.join(folder, "log")
        @settings = SETTINGS.merge(settings.transform_keys(&:to_s))
        File.write(File.join(socket_directory, "pg_hba.conf"), hba) if hba
      end

      # Starts the server, also after {#stop}, on the same data; waits until it takes connections.
      #
      # @param port [Integer, nil] nil: a free one
      def start(port: nil)
        ATTEMPTS.times do
          return self if port ? start_at(port) : FreePort.hold { |free| start_at(free) }
          break unless File.read(@log).include?("Address already in use")
        end
        raise "PostgreSQL did not start:\n#{File.read(@log)}"
      end

      # @return [String] connection URI over the Unix socket
      def uri(dbname: "postgres", user: "postgres")
        "postgresql:///#{dbname}?host=#{socket_directory}&port=#{port}&user=#{user}"
      end

      # @return [String] connection URI over TCP
      def tcp_uri(dbname: "postgres", user: "postgres") = "postgresql://#{user}@127.0.0.1:#{port}/#{dbname}"

      # Runs SQL with psql, one or more statements.
      # @return [String] the rows, unaligned, without headers
      # @raise [RuntimeError] with psql's message when a statement fails
      def psql(sql, dbname: "postgres")
        output, errors, status = Open3.capture3(
          PostgresBinaries.path("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", uri(dbname: dbname), stdin_data: sql
        )
        raise "psql: #{errors}" unless status.success?

        output
      end

      # @return [Integer] its major version
      def version = @version ||= psql("SHOW server_version_num").to_i / 10_000

      # Removes a database, and ends the sessions in it first.
      def drop_database(name)
        psql("UPDATE pg_database SET datallowconn = false WHERE datname = '#{name}';
              SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '#{name}'; DROP DATABASE IF EXISTS #{name}")
      end

      # Ends sessions, and returns when they are gone: pg_terminate_backend waits since PostgreSQL 14 only.
      # @param pids [Array<Integer>] of the processes that serve them
      def terminate(*pids)
        psql("DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM unnest(ARRAY[#{pids.join(",")}]) AS pid;
              WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid IN (#{pids.join(",")})) LOOP
                PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot();
              END LOOP; END $$")
      end

      # Runs pgbench on this server.
      # @param program [Array<String>] what runs it
      # @return [String] what it prints
      def pgbench(*arguments, program: [PostgresBinaries.path("pgbench")])
        output, status = Open3.capture2e(*program, *arguments,
                                         "-h", socket_directory, "-p", port.to_s, "-U", "postgres", "postgres")
        raise "pgbench: #{output}" unless status.success?

        output
      end

      # @return [String] everything the server has logged so far
      def log = File.read(@log)

      # Stops the server: open transactions are rolled back, sessions are told. The data stays for {#start}
      # until this process ends.
      def stop
        Keeper.instance.stop(pid)
      end

      # Starts it again, after it was stopped in good order, as a standby of the one that has taken over from it.
      #
      # @param primary [PostgresServer]
      # @param port [Integer, nil] nil: a free one
      def follow(primary, port: nil)
        Keeper.instance.run("touch", File.join(socket_directory, "standby.signal"), log: "#{socket_directory}.log")
        @settings = @settings.merge("primary_conninfo" => primary.uri)
        start(port: port)
      end

      # Stops the server and removes its data.
      def discard
        stop
        FileUtils.rm_rf(socket_directory)
      end

      private

      # @return [Boolean] whether it takes connections
      def start_at(port)
        @port = port
        launch
        ready_in_time? == true
      end

      def launch
        FileUtils.rm_f(File.join(socket_directory, "postmaster.pid")) # a server that was killed has left it, and it says that it is ready
        options = @settings.merge("port" => port, "unix_socket_directories" => socket_directory)
        arguments = options.flat_map { |name, value| ["-c", "#{name}=#{value}"] }
        @pid = Keeper.instance.spawn(*preloading, PostgresBinaries.path("postgres"), "-D", socket_directory, *arguments, log: @log, stop: "INT")
      end

      def preloading
        library = File.join(socket_directory, PRELOADED)
        File.exist?(library) ? ["env", "LD_PRELOAD=#{library}"] : []
      end

      # The last line of the server's lock file is its state.
      def ready_in_time?
        deadline = now + START_TIMEOUT
        while now < deadline
          return true if state == "ready"
          return false unless Keeper.instance.running?(pid)

          sleep 0.01
        end
      end

      def state
        File.readlines(File.join(socket_directory, "postmaster.pid"), chomp: true)[7].to_s.strip
      rescue Errno::ENOENT
        nil
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
