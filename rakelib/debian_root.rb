# frozen_string_literal: true

require "fileutils"

# A Debian root of another release in a folder, with or without its PostgreSQL. Made once, which takes about a minute and half a gigabyte, and kept.
class DebianRoot
  FOLDER = File.expand_path("../tmp/roots", __dir__)
  SCRIPT = "/usr/share/debootstrap/scripts/sid" # fits every release of today
  AUTHORITIES = "usr/local/share/ca-certificates"
  # APT's options for a mirror that may stall: errors, retries and timeouts.
  APT_OPTIONS = { "APT::Update::Error-Mode" => "any", "Acquire::Retries" => "5", "Acquire::http::Timeout" => "30", "Acquire::https::Timeout" => "30" }.freeze
  # A shell script. Its arguments: the root, folders to mount inside, "--" and a command.
  ENTER = <<~SH
    set -e
    root=$1; shift
    mount -t proc proc "$root/proc"
    mount --rbind --make-rslave /dev "$root/dev"
    while [ "$1" != -- ]; do mkdir -p "$root$1"; mount --bind "$1" "$root$1"; shift; done
    shift; exec chroot "$root" "$@"
  SH
  private_constant :FOLDER, :SCRIPT, :AUTHORITIES, :ENTER

  # @return [String, nil] what is missing to make one
  def self.missing
    return "a Debian or its like, and root, are needed for roots of other releases" unless Process.uid.zero?

    "debootstrap is needed for roots of other releases" unless File.exist?(SCRIPT)
  end

  # @return [String] where this machine has its own packages from
  # @raise [RuntimeError] APT knows of none
  def self.mirror
    own = File.read("/etc/os-release")[/^VERSION_CODENAME=(\w+)/, 1]
    command = %w[apt-get indextargets --format $(REPO_URI)] + ["Created-By: Packages", "Release: #{own}", "Component: main"]
    IO.popen(command, &:gets)&.chomp or raise "APT has no sources of #{own || "this release"}'s here"
  end

  # @return [String] where it is
  attr_reader :path

  # @return [Integer, nil] major version of its PostgreSQL
  attr_reader :postgres

  # @param release [String] "trixie", "forky"
  # @param postgres [Integer, nil] the release's PostgreSQL; nil: the root has none
  def initialize(release, postgres = nil)
    @release = release
    @postgres = postgres
    @path = File.join(FOLDER, release)
  end

  # Makes the root, unless it exists.
  def make
    return if File.exist?(path)

    FileUtils.mkdir_p(FOLDER)
    FileUtils.rm_rf(unfinished)
    run("debootstrap", "--variant=minbase", @release, unfinished, DebianRoot.mirror, SCRIPT)
    prepare
    apt_get(unfinished, *("postgresql-#{postgres}" if postgres))
    File.rename(unfinished, path)
  end

  # Installs packages, unless they are installed.
  def install(*packages)
    missing = packages.reject { |package| File.exist?(File.join(path, "usr/share/doc", package)) }
    apt_get(path, *missing) if missing.any?
  end

  # Writes a file in the root.
  # @param name [String] its path there, without the first slash
  def write(name, contents, mode = 0o644) = put(path, name, contents, mode)

  # @param program [String] its path inside, without the first slash
  # @return [String] path of a script that runs it on this machine, with the root's libraries, without going in
  def script_outside(program)
    libraries = Dir[File.join(path, "usr/lib/*-linux-*")].first
    loader = Dir[File.join(libraries, "ld-linux*.so.*")].first
    name = File.join("opt/outside", File.basename(program))
    write(name, "#!/bin/sh\nexec #{loader} --library-path #{libraries} #{File.join(path, program)} \"$@\"\n", 0o755)
    File.join(path, name)
  end

  # @param folder [String] to start in, inside
  # @param shared [Array<String>] folders of this machine that are mounted inside under the same names
  # @return [Array<String>] what goes before a command that runs inside with /proc and /dev, and whose children end when it does
  def command(folder, shared: [])
    ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", path, *shared, "--", "env", "-C", folder]
  end

  # @return [Array<String>] what goes before a command that runs inside, as PostgreSQL's account
  def as_postgres = ["chroot", "--userspec=postgres:postgres", path, "env", "HOME=/tmp"]

  # @return [String] path of one of PostgreSQL's programs, inside
  def program(name) = "/usr/lib/postgresql/#{postgres}/bin/#{name}"

  private

  def unfinished = "#{path}.unfinished"

  # Completes interrupted installations first.
  def apt_get(folder, *packages)
    inside = ["env", "DEBIAN_FRONTEND=noninteractive", "chroot", folder]
    run(*inside, "dpkg", "--configure", "-a")
    run(*inside, "apt-get", "update", "-qq")
    run(*inside, "apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages)
  end

  def run(*command)
    log = "#{path}.log"
    return if system(*command, out: [log, "a"], err: %i[child out])

    raise "The root of Debian #{@release} could not be made: #{command.join(" ")} failed. The end of #{log}:\n#{File.readlines(log).last(10).join}"
  end

  # Sets up a name server, the certificate authorities that this machine trusts, and APT's retries; no services are started, and the package makes no
  # database cluster.
  def prepare
    ["/etc/resolv.conf", "/etc/hosts", *Dir["/#{AUTHORITIES}/*.crt"]].each { |file| put(unfinished, file, File.read(file)) }
    put(unfinished, "etc/apt/apt.conf.d/90retries", "#{APT_OPTIONS.map { |name, value| "#{name} #{value};" }.join(" ")}\n")
    put(unfinished, "usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
    put(unfinished, "etc/postgresql-common/createcluster.d/none.conf", "create_main_cluster = false\n")
  end

  def put(folder, name, contents, mode = 0o644)
    file = File.join(folder, name)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, contents)
    File.chmod(mode, file)
  end
end
