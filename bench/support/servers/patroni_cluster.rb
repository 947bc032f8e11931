# frozen_string_literal: true

require "fileutils"
require "json"
require "net/http"
require "open3"
require "yaml"
require_relative "free_port"
require_relative "keeper"
require_relative "postgres_binaries"

module Trunkline
  module Bench
    # Three PostgreSQL servers that Patroni runs, with an etcd of their own. All of it is gone with this process.
    #
    # Patroni speaks to etcd by version 2 of its API, where a leader renews its lock by compare-and-swap. By version 3, Patroni 3.0.2 writes the lock
    # without a look at it: a leader that was frozen for longer than its lease may take the lock back as it wakes up. Then the cluster goes back to a
    # timeline that it had left, and clients that have seen the newer one do not write there.
    class PatroniCluster
      PACKAGES = %w[patroni python3-etcd etcd-server].freeze
      NODES = 3
      # Seconds. Patroni's own are 30, 10 and 10: a failure is noticed sooner here.
      DCS = { "ttl" => 20, "loop_wait" => 2, "retry_timeout" => 3, "maximum_lag_on_failover" => 1_048_576 }.freeze
      PARAMETERS = { "max_connections" => 200, "shared_buffers" => "32MB", "wal_keep_size" => "256MB", "wal_log_hints" => "on", "hot_standby" => "on",
                     "max_wal_senders" => 10, "max_replication_slots" => 10, "wal_retrieve_retry_interval" => "500ms", "fsync" => "off",
                     "autovacuum" => "off" }.freeze
      HBA = ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"].freeze
      START_TIMEOUT = 120
      private_constant :PACKAGES, :NODES, :DCS, :PARAMETERS, :HBA, :START_TIMEOUT

      # A node: Patroni, and the server that it runs.
      Node = Struct.new(:name, :folder, :port, :rest_port, :pid) do
        # @return [Integer] process id of the postmaster
        def postmaster = File.read(File.join(folder, "data", "postmaster.pid")).to_i

        # @return [String]
        def uri = "postgresql://postgres@127.0.0.1:#{port}/postgres"

        # @return [String] the rows, unaligned, without headers
        def psql(sql)
          output, errors, status = Open3.capture3(PostgresBinaries.path("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", uri, stdin_data: sql)
          raise "psql: #{errors}" unless status.success?

          output
        end
      end

      class << self
        # @param synchronous [Boolean]
        # @yieldparam cluster [PatroniCluster] with a primary and two standbys
        def open(synchronous:)
          install
          cluster = new(synchronous)
          yield cluster.tap(&:start)
        ensure
          cluster&.stop
        end

        # @return [Array<String>] versions of Patroni and etcd
        def versions
          install
          [IO.popen(%w[patroni --version], &:read), IO.popen(%w[etcd --version], &:read)].map { |text| text[/[\d.]+/] }
        end

        private

        # On Debian, as root, without starting a service.
        def install
          return if %w[patroni etcd].all? { |program| there?(program) }
          raise "Patroni and etcd are needed: #{PACKAGES.join(", ")}" unless Process.uid.zero? && File.exist?("/etc/debian_version")

          environment = { "DEBIAN_FRONTEND" => "noninteractive", "RUNLEVEL" => "1" }
          system(environment, "apt-get", "install", "-qq", "-y", "--no-install-recommends", *PACKAGES, out: File::NULL, exception: true)
        end

        def there?(program) = ENV.fetch("PATH").split(":").any? { |folder| File.executable?(File.join(folder, program)) }
      end

      # @return [Array<Node>]
      attr_reader :nodes

      def initialize(synchronous)
        @synchronous = synchronous
        @folder = File.join(Keeper.instance.folder, "patroni-#{FreePort.find}")
        @etcd_port = FreePort.find
        @nodes = Array.new(NODES) { |at| Node.new("n#{at + 1}", File.join(@folder, "n#{at + 1}"), FreePort.find, FreePort.find, nil) }
      end

      def start
        FileUtils.mkdir_p(@nodes.map(&:folder))
        FileUtils.chown_R("postgres", nil, @folder) if Process.uid.zero?
        start_etcd
        first, *others = @nodes
        run(first)
        wait("primary") { answers?(first, "/primary") }
        others.each { |node| run(node) }
        others.each { |node| wait("standby #{node.name}") { answers?(node, "/replica?lag=0") } }
        await_members
      end

      def stop
        @nodes.each { |node| resume(node) if node.pid }
        @nodes.each { |node| Keeper.instance.stop(node.pid) if node.pid }
        @nodes.each { |node| kill_postmaster(node) }
        Keeper.instance.stop(@etcd) if @etcd
        FileUtils.rm_rf(@folder)
      end

      # @return [Node, nil] that Patroni says is the leader
      def leader = @nodes.find { |node| answers?(node, "/primary") }

      # @return [Node] another leader than that one
      def await_leader(except:)
        wait("another leader") { (found = leader) && !found.equal?(except) && found }
      end

      # Waits until all nodes are there, and the standbys have what the leader has written so far. One that does not stream yet may be promoted all the
      # same, and lacks writes that were acknowledged long before: Patroni counts it as a replica from its start on.
      def await_members
        written = wait("leader") { ask_leader("SELECT pg_current_wal_lsn()") }
        streaming = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn >= '#{written}'"
        wait("standbys that stream") { ask_leader(streaming).to_i == NODES - 1 }
        wait("synchronous standby") { @nodes.any? { |node| answers?(node, "/synchronous") } } if @synchronous
      end

      # Has the leader hand over in good order.
      def switchover
        output, status = Open3.capture2e("patronictl", "-c", configuration_of(@nodes.first), "switchover", "--force", "--leader", leader.name)
        raise "patronictl: #{output}" unless status.success?
      end

      # The machine of a node is gone: Patroni and the server, at once.
      def kill(node)
        processes = [node.postmaster]
        Process.kill("KILL", -node.pid)
        Keeper.instance.stop(node.pid)
        processes.each { |process| Process.kill("KILL", process) }
        node.pid = nil
      end

      # Brings a node back.
      def restart(node)
        FileUtils.rm_f(File.join(node.folder, "data", "postmaster.pid"))
        run(node)
      end

      # All processes of a node stop, and its kernel goes on.
      def freeze_node(node) = signal("STOP", node)
      def resume(node) = signal("CONT", node)

      # @return [String] hosts and ports, for a connection URI
      def hosts = @nodes.map { |node| "127.0.0.1:#{node.port}" }.join(",")

      private

      def start_etcd
        url = "http://127.0.0.1:#{@etcd_port}"
        peer = "http://127.0.0.1:#{FreePort.find}"
        @etcd = Keeper.instance.spawn("etcd", "--data-dir", File.join(@folder, "etcd"), "--listen-client-urls", url, "--advertise-client-urls", url,
                                      "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=#{peer}",
                                      "--unsafe-no-fsync", "--enable-v2", log: File.join(@folder, "etcd.log"))
        wait("etcd") { get(@etcd_port, "/health") == "200" }
      end

      def run(node)
        File.write(configuration_of(node), configuration(node).to_yaml)
        node.pid = Keeper.instance.spawn("patroni", configuration_of(node), log: "#{node.folder}.log")
      end

      def configuration_of(node) = "#{node.folder}.yml"

      def configuration(node)
        address = ->(port) { { "listen" => "127.0.0.1:#{port}", "connect_address" => "127.0.0.1:#{port}" } }
        super_user = { "username" => "postgres" }
        {
          "scope" => "app", "name" => node.name, "restapi" => address.call(node.rest_port), "etcd" => { "host" => "127.0.0.1:#{@etcd_port}" },
          "bootstrap" => { "dcs" => dcs, "initdb" => [{ "encoding" => "UTF8" }, { "auth" => "trust" }, { "username" => "postgres" }, "no-sync"], "pg_hba" => HBA },
          "postgresql" => {
            **address.call(node.port), "data_dir" => File.join(node.folder, "data"), "bin_dir" => File.dirname(PostgresBinaries.path("initdb")),
            "pgpass" => "#{node.folder}.pgpass", "authentication" => { "superuser" => super_user, "replication" => super_user, "rewind" => super_user },
            "parameters" => { "unix_socket_directories" => node.folder }
          }
        }
      end

      def dcs
        { **DCS, "synchronous_mode" => @synchronous, "synchronous_mode_strict" => @synchronous,
          "postgresql" => { "use_pg_rewind" => true, "use_slots" => true, "parameters" => PARAMETERS } }
      end

      # @return [String, nil] nil: there is none, or it goes away at this moment
      def ask_leader(sql)
        leader&.psql(sql)&.chomp
      rescue RuntimeError
        nil
      end

      # Patroni's group, and the processes of its server, which has a group of its own.
      def signal(name, node)
        postmaster = node.postmaster
        children = File.read("/proc/#{postmaster}/task/#{postmaster}/children").split.map(&:to_i)
        Process.kill(name, -node.pid)
        [postmaster, *children].each { |process| Process.kill(name, process) }
      rescue Errno::ENOENT, Errno::ESRCH
        nil # it has no server at this moment
      end

      def kill_postmaster(node)
        Process.kill("KILL", node.postmaster)
      rescue Errno::ENOENT, Errno::ESRCH
        nil # Patroni has ended it
      end

      def answers?(node, path) = get(node.rest_port, path) == "200"

      # @return [String, nil] the code of the answer
      def get(port, path)
        http = Net::HTTP.new("127.0.0.1", port)
        http.open_timeout = http.read_timeout = 10 # a node that is gone refuses at once, and a frozen one is not asked
        http.get(path).code
      rescue SystemCallError, Timeout::Error, EOFError
        nil
      end

      def wait(what)
        deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + START_TIMEOUT
        until (found = yield)
          raise "no #{what} within #{START_TIMEOUT} s:\n#{logs}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

          sleep 0.05
        end
        found
      end

      def logs = Dir[File.join(@folder, "*.log")].map { |file| "#{file}:\n#{File.read(file).lines.last(20).join}" }.join("\n")
    end
  end
end
