# frozen_string_literal: true

require "etc"
require "fileutils"
require "open3"
require "tmpdir"
require_relative "debian_root"
require_relative "fuzzer"

# Debian 12 for another processor: qemu's user-mode emulation runs its Ruby, and a cross compiler compiles the extension. The packages are unpacked
# and not installed, so only Ruby of them runs; programs that Ruby starts, such as the tests' PostgreSQL, are this machine's. Ruby is started by its
# own loader and gets its folders as options. qemu's -L, which would find them, does not handle some system calls: with it Ruby does not start on
# 32-bit processors.
class ForeignPlatform
  # Architectures by Debian's names: the names of the compiler and of qemu.
  ALL = {
    "s390x" => %w[s390x-linux-gnu s390x], # big-endian
    "arm64" => %w[aarch64-linux-gnu aarch64],
    "armhf" => %w[arm-linux-gnueabihf arm] # 32 bits
  }.freeze
  RELEASE = "bookworm"
  PACKAGES = %w[ruby ruby-dev ruby-minitest libc6-dev libgcc-12-dev].freeze
  FOLDER = File.expand_path("../tmp/platforms", __dir__)
  SOURCES = File.expand_path("..", __dir__)
  private_constant :RELEASE, :PACKAGES, :FOLDER, :SOURCES

  # A command failed: the message is what it wrote.
  class Failure < StandardError; end

  # @param architecture [String] of ALL
  def initialize(architecture)
    @architecture = architecture
    @triplet, @processor = ALL.fetch(architecture)
    @root = File.join(FOLDER, architecture, "root")
    @build = File.join(FOLDER, architecture, "build")
  end

  # @return [String, nil] what must be installed first
  def missing
    programs = { "gcc-#{@triplet}" => compiler, "qemu-user-static" => qemu, "debootstrap" => "debootstrap" }
    lacking = programs.reject { |_, program| system("command -v #{program} >/dev/null") }.keys
    "#{@architecture} needs #{lacking.join(", ")}, in Debian's packages of those names" if lacking.any?
  end

  # Fetches the other Ruby, unless it is there, and compiles the extension.
  # @return [String] what the compiler wrote
  # @raise [Failure]
  def compile
    unpack unless File.exist?(@root)
    FileUtils.mkdir_p(@build)
    execute({ "TRUNKLINE_ROOT" => @root }, *ruby, "-r#{File.join(__dir__, "foreign_rbconfig.rb")}", File.join(SOURCES, "ext/trunkline/extconf.rb"), chdir: @build)
    written = execute({}, "make", "-j#{Etc.nprocessors}", chdir: @build)
    FileUtils.mkdir_p(File.join(@build, "trunkline"))
    FileUtils.cp(File.join(@build, "trunkline.so"), File.join(@build, "trunkline"))
    written
  end

  # @param files [Array<String>] tests that need no gem but Minitest
  # @return [String] what Minitest wrote
  # @raise [Failure]
  def test(files)
    requires = files.flat_map { |file| ["-r", File.join(SOURCES, file)] }
    host = { "TRUNKLINE_HOST_RUBY" => RbConfig.ruby } # which the tests' servers are kept by
    execute(host, *ruby, "-r#{File.join(__dir__, "foreign_host.rb")}", "-W1", "-I#{@build}", "-Ilib", "-Itest", *requires, "-e", "", chdir: SOURCES)
  end

  # Runs each fuzzer's harness with its committed inputs and mutations of them.
  # @return [Array<String>] names of the harnesses
  # @raise [Failure]
  def replay = Fuzzer.names.each { |name| Fuzzer.new(name).replay(compiler, File.join(@build, "replay-#{name}"), qemu) }

  private

  def compiler = "#{@triplet}-gcc"
  def qemu = "qemu-#{@processor}-static"

  def ruby
    libraries = %w[lib usr/lib].map { |folder| inside(folder, @triplet) }.join(":")
    loaded = [inside("usr/lib/ruby/vendor_ruby"), inside("usr/lib/ruby/3.1.0"), inside("usr/lib", @triplet, "ruby/3.1.0"), *Dir[inside("usr/share/rubygems-integration/all/gems/*/lib")]]
    [qemu, Dir[inside("lib/ld*.so.*")].first, "--library-path", libraries, inside("usr/bin/ruby3.1"), "--disable=gems", *loaded.map { |folder| "-I#{folder}" }]
  end

  def inside(*path) = File.join(@root, *path)

  def unpack
    unfinished = "#{@root}.unfinished"
    FileUtils.rm_rf(unfinished)
    FileUtils.mkdir_p(unfinished)
    Dir.mktmpdir do |fetched|
      execute({}, "debootstrap", "--download-only", "--variant=minbase", "--arch=#{@architecture}", "--include=#{PACKAGES.join(",")}",
              RELEASE, fetched, DebianRoot.mirror)
      Dir[File.join(fetched, "var/cache/apt/archives/*.deb")].each { |package| execute({}, "dpkg-deb", "-x", package, unfinished) }
    end
    File.rename(unfinished, @root)
  end

  def execute(environment, *command, chdir: SOURCES)
    output, status = Bundler.with_unbundled_env { Open3.capture2e(environment, *command, chdir: chdir) }
    raise Failure, "#{command.join(" ")}: #{status}\n#{output.scrub}" unless status.success?

    output
  end
end
