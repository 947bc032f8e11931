# frozen_string_literal: true

require "fileutils"

# A Debian of another release in a folder, with its PostgreSQL. Made once, in about a minute and half a gigabyte, and kept.
class DebianRoot
  FOLDER = File.expand_path("../tmp/roots", __dir__)
  SCRIPT = "/usr/share/debootstrap/scripts/sid" # fits every release of today
  private_constant :FOLDER, :SCRIPT

  # @return [String, nil] what is missing to make one
  def self.missing
    return "a Debian or its like, and root, are needed for roots of other releases" unless Process.uid.zero?

    "debootstrap is needed for roots of other releases" unless File.exist?(SCRIPT)
  end

  # @return [String] where it is
  attr_reader :path

  # @return [Integer] major version of its PostgreSQL
  attr_reader :postgres

  # @param release [String] "trixie", "forky"
  # @param postgres [Integer] the release's PostgreSQL
  def initialize(release, postgres)
    @release = release
    @postgres = postgres
    @path = File.join(FOLDER, release)
  end

  # Makes it, unless it is there.
  def make
    return if File.exist?(path)

    FileUtils.mkdir_p(FOLDER)
    FileUtils.rm_rf(unfinished)
    system("debootstrap", "--variant=minbase", @release, unfinished, mirror, SCRIPT, out: log, err: %i[child out], exception: true)
    prepare
    system(*inside(unfinished), "apt-get", "install", "-qq", "-y", "--no-install-recommends", "postgresql-#{postgres}",
           out: log, err: %i[child out], exception: true)
    File.rename(unfinished, path)
  end

  # @return [Array<String>] what goes before a command that runs inside, as PostgreSQL's account
  def as_postgres = ["chroot", "--userspec=postgres:postgres", path, "env", "HOME=/tmp"]

  # @return [String] path of one of PostgreSQL's programs, inside
  def program(name) = "/usr/lib/postgresql/#{postgres}/bin/#{name}"

  private

  # @return [String] where this machine has its own packages from
  def mirror
    IO.popen(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"], &:readline).chomp
  end

  def unfinished = "#{path}.unfinished"

  def log = ["#{path}.log", "a"]

  def inside(folder) = ["env", "DEBIAN_FRONTEND=noninteractive", "chroot", folder]

  # A name server; no services that start, and no database cluster of the package's own.
  def prepare
    %w[resolv.conf hosts].each { |name| FileUtils.cp("/etc/#{name}", File.join(unfinished, "etc", name)) }
    put("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
    put("etc/postgresql-common/createcluster.d/none.conf", "create_main_cluster = false\n")
  end

  def put(name, contents, mode = 0o644)
    file = File.join(unfinished, name)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, contents)
    File.chmod(mode, file)
  end
end
