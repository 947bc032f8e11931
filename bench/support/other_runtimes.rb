# frozen_string_literal: true

require "bundler"
require "fileutils"
require_relative "isolated"
require_relative "packages"
require_relative "../../rakelib/ruby_root"

module Trunkline
  module Bench
    # What clients in other languages, and those that want a newer Ruby, run with: Debian's packages, npm's, a Debian root.
    # Installed on first use, outside of the bundle.
    class OtherRuntimes
      PEERS = File.expand_path("peers", __dir__)
      INSTALLED = File.expand_path("../../tmp", __dir__)
      INSIDE = "bench/support/isolated_process.rb" # from the sources' folder
      # Debian's folder of crates in the place of the registry: nothing comes from a network.
      DEBIAN_CRATES = <<~TOML
        [source.crates-io]
        replace-with = "debian"
        [source.debian]
        directory = "/usr/share/cargo/registry"
      TOML
      private_constant :PEERS, :INSTALLED, :INSIDE, :DEBIAN_CRATES

      # @return [Hash{String => String}] versions of what was asked for
      attr_reader :versions

      def initialize
        @versions = {}
      end

      # @param script [String] of peers/
      # @param packages [Array<String>] Debian's
      # @return [Array<String>] what runs it
      # @raise [Packages::Missing]
      def python(script, *packages)
        need(*packages)
        ["/usr/bin/python3", "-B", File.join(PEERS, script)]
      end

      # @param package [String] npm's
      def node(script, package, version)
        need("nodejs", "npm") unless Packages.program?("node") && Packages.program?("npm")
        modules = File.join(INSTALLED, "npm", package, "node_modules")
        Packages.run("npm", "install", "--silent", "--prefix", File.dirname(modules), "#{package}@#{version}") unless File.directory?(File.join(modules, package))
        @versions["#{package} (npm)"] = version
        @versions["node"] ||= Packages.run("node", "--version").delete_prefix("v")
        ["env", "NODE_PATH=#{modules}", "node", File.join(PEERS, script)]
      end

      # @param source [String] of peers/
      # @param package [String] Debian's, of the client's source
      def go(source, package)
        need("golang-go", package)
        program = File.join(INSTALLED, "go", File.basename(source, ".go"))
        FileUtils.mkdir_p(File.dirname(program))
        Packages.run({ "GO111MODULE" => "off", "GOPATH" => "/usr/share/gocode" }, "go", "build", "-o", program, File.join(PEERS, source))
        [program]
      end

      # @param source [String] of peers/
      # @param crates [Hash{String => Array<String>}] that Debian has packages of, by their names, with the features of each
      def rust(source, crates)
        need("rustc", "cargo", *crates.keys.map { |crate| "librust-#{crate.tr("_", "-")}-dev" })
        name = File.basename(source, ".rs")
        folder = File.join(INSTALLED, "rust", name)
        FileUtils.mkdir_p(File.join(folder, ".cargo"))
        File.write(File.join(folder, ".cargo", "config.toml"), DEBIAN_CRATES)
        File.write(File.join(folder, "Cargo.toml"), manifest(name, crates))
        Packages.run({ "RUSTC" => "/usr/bin/rustc" }, "/usr/bin/cargo", "build", "--quiet", "--release", "--offline", chdir: folder)
        [File.join(folder, "target", "release", name)]
      end

      # @param peer [String] name of a file in peers/
      # @param version [String] of Ruby
      # @param folder [String] of the server's socket
      def ruby(peer, version, folder) = [*inside(version, folder), "bundle", "exec", "ruby", INSIDE, peer]

      # @param version [String] of the Ruby in whose root it is
      # @param folder [String] of the server's socket
      # @return [Array<String>] what runs pgbench of PostgreSQL 17
      def newer_pgbench(version, folder) = [*inside(version, folder), "/usr/lib/postgresql/17/bin/pgbench"]

      private

      # Built for speed, as a program that is measured should be.
      def manifest(name, crates)
        dependencies = crates.map { |crate, features| %(#{crate} = { version = "*", features = #{features.inspect} }) }
        <<~TOML
          [package]
          name = "#{name}"
          version = "0.0.0"
          edition = "2021"
          [[bin]]
          name = "#{name}"
          path = "#{File.join(PEERS, "#{name}.rs")}"
          [dependencies]
          #{dependencies.join("\n")}
          [profile.release]
          lto = true
          codegen-units = 1
        TOML
      end

      def need(*packages) = @versions.merge!(Packages.need(*packages))

      def inside(version, folder)
        Packages.need("debootstrap")
        raise Packages::Missing, DebianRoot.missing if DebianRoot.missing

        root(version)
        ["env", *unbundled, *RubyRoot.new(version).command(shared: [folder])]
      end

      def root(version)
        @versions["ruby for pg_pipeline"] ||= begin
          root = RubyRoot.new(version).tap(&:make)
          Packages.run("env", *unbundled, *root.command, "bin/setup")
          Packages.run("env", *unbundled, *root.command, "ruby", "-e", "print RUBY_VERSION")
        end
      end

      # @return [Array<String>] has env forget what Bundler has set for this process
      def unbundled = (ENV.keys - Bundler.unbundled_env.keys).flat_map { |name| ["-u", name] }
    end
  end
end
