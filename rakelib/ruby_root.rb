# frozen_string_literal: true

require "fileutils"
require_relative "debian_root"

# A Debian root with a newer Ruby, and a copy of this project's sources for it.
class RubyRoot
  VERSIONS = %w[3.3 3.4].freeze # trixie's, and the one that Debian has in experimental
  SOURCES = File.expand_path("..", __dir__)
  KEPT = %w[Gemfile.lock tmp vendor].freeze
  EXPERIMENTAL = "deb [check-valid-until=no] %s experimental main\n"
  PINS = <<~TEXT
    Package: *
    Pin: release a=experimental
    Pin-Priority: 1

    Package: ruby3.4* libruby3.4*
    Pin: release a=experimental
    Pin-Priority: 990
  TEXT
  private_constant :SOURCES, :KEPT, :EXPERIMENTAL, :PINS

  # @param version [String] of VERSIONS
  # @raise [ArgumentError] there is none of that version
  def initialize(version)
    raise ArgumentError, "Ruby #{version} is not one of #{VERSIONS.join(", ")}" unless VERSIONS.include?(version)

    @version = version
    @root = DebianRoot.new("trixie", 17)
  end

  # @return [String] where it is
  def path = @root.path

  # Makes it, unless it is there, and brings the sources as they are now.
  # @param packages [Array<String>] of Debian's to be there too
  def make(*packages)
    @root.make
    bring_ruby
    @root.install(*packages)
    bring_sources
  end

  # @param shared [Array<String>] see {DebianRoot#command}
  # @return [Array<String>] what goes before a command that runs inside, among the sources, with this Ruby as `ruby`
  def command(shared: [])
    [*@root.command(folder, shared: shared), "PATH=#{programs}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8"]
  end

  # @return [String] of the sources, inside
  def folder = "/srv/trunkline-#{@version}"

  private

  def programs = "/opt/ruby#{@version}/bin"

  # Links Debian's programs, which have the version in their names.
  def bring_ruby
    know_experimental unless @version == VERSIONS.first
    @root.install("ruby#{@version}", "ruby#{@version}-dev")
    FileUtils.mkdir_p(inside(programs))
    %w[ruby gem bundle].each { |program| FileUtils.ln_sf("/usr/bin/#{program}#{@version}", File.join(inside(programs), program)) }
  end

  def know_experimental
    @root.write("etc/apt/sources.list.d/experimental.list", format(EXPERIMENTAL, DebianRoot.mirror))
    @root.write("etc/apt/preferences.d/ruby", PINS)
  end

  def bring_sources
    there = inside(folder)
    FileUtils.mkdir_p(there)
    FileUtils.rm_rf(Dir.children(there).difference(KEPT).map { |name| File.join(there, name) })
    sources.each do |name|
      FileUtils.mkdir_p(File.join(there, File.dirname(name)))
      FileUtils.cp(File.join(SOURCES, name), File.join(there, name), preserve: true)
    end
  end

  def sources
    names = IO.popen(%w[git ls-files -z --cached --others --exclude-standard], chdir: SOURCES, &:read).split("\0")
    names.select { |name| File.file?(File.join(SOURCES, name)) }
  end

  def inside(path) = File.join(@root.path, path)
end
