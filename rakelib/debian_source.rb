# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "debian_root"

# Another project's source with its tests, from a release of Debian: fetched once, by APT with its own lists, and kept.
class DebianSource
  LINE = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n"
  private_constant :LINE

  # @param project [String] "Rails": what errors call it
  # @param package [String] Debian's name for its source package
  # @param release [String] of Debian
  # @param help [String] what to do where it cannot be fetched
  def initialize(project, package:, release:, help:)
    @project = project
    @package = package
    @release = release
    @help = help
    @folder = File.expand_path("../tmp/#{project.downcase}", __dir__)
  end

  # @return [String] the folder of the unpacked source; concurrent processes fetch it once
  # @raise [RuntimeError] it cannot be fetched
  def folder
    unpacked || begin
      FileUtils.mkdir_p(@folder)
      File.open(File.join(@folder, "lock"), "w") do |lock|
        lock.flock(File::LOCK_EX)
        unpacked || fetch
      end
    end
  end

  private

  def unpacked = Dir[File.join(@folder, "unpacked/*/")].first

  def fetch
    %w[lists/partial cache/archives/partial].each { |name| FileUtils.mkdir_p(File.join(@folder, name)) }
    File.write(File.join(@folder, "sources.list"), format(LINE, DebianRoot.mirror, @release))
    apt_get("update", "-qq")
    apt_get("source", "-qq", "--download-only", "--tar-only", "#{@package}/#{@release}")
    unpack(Dir[File.join(@folder, "#{@package}_*.orig.tar.*")].fetch(0))
    unpacked
  rescue SystemCallError, RuntimeError, IndexError => error
    raise "The source of #{@project} could not be fetched from Debian #{@release}: #{error.message}\n#{@help}"
  end

  # An interrupted unpacking leaves nothing that looks complete.
  def unpack(archive)
    part = File.join(@folder, "part")
    FileUtils.rm_rf(part)
    FileUtils.mkdir_p(part)
    run("tar", "-xf", archive, "-C", part)
    File.rename(part, File.join(@folder, "unpacked"))
  end

  # The lists of a mirror that is a snapshot are out of date.
  def apt_get(*arguments)
    places = { "Dir::Etc::sourcelist" => "sources.list", "Dir::State::lists" => "lists", "Dir::Cache" => "cache" }.transform_values { |name| File.join(@folder, name) }
    options = { **places, "Dir::Etc::sourceparts" => "-", **DebianRoot::APT_OPTIONS, "Acquire::Check-Valid-Until" => "false" }
    run("apt-get", *options.map { |name, value| "-o#{name}=#{value}" }, *arguments)
  end

  def run(*command)
    output, status = Open3.capture2e(*command, chdir: @folder)
    raise output unless status.success?
  end

  RAILS = new("Rails", package: "rails", release: "trixie", help: <<~HELP)
    Unpack the source of Rails 7.2, and name its folder: RAILS=/path/of/rails bin/test, rake "hosts:activerecord[/path/of/rails]"
    or rake "hosts:rails_cache_store[/path/of/rails]"
  HELP
  DALLI = new("Dalli", package: "ruby-dalli", release: "forky", help: <<~HELP)
    Unpack the source of Dalli 5 with its tests, and name its folder: rake "hosts:dalli[/path/of/dalli]"
  HELP
end
