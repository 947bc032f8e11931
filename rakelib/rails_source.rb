# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "debian_root"

# Rails' own source with its tests, which Debian trixie has: fetched once, by APT with lists of its own, and kept.
module RailsSource
  FOLDER = File.expand_path("../tmp/rails", __dir__)
  LINE = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n"
  PLACES = { "Dir::Etc::sourcelist" => "sources.list", "Dir::State::lists" => "lists", "Dir::Cache" => "cache" }.transform_values { |name| File.join(FOLDER, name) }
  # The lists of a mirror that is a snapshot are out of date.
  APT = { **PLACES, "Dir::Etc::sourceparts" => "-", **DebianRoot::PATIENCE, "Acquire::Check-Valid-Until" => "false" }
        .map { |name, value| "-o#{name}=#{value}" }.freeze
  HELP = "Unpack the source of Rails 7.2, and name its folder: RAILS=/path/of/rails bin/test, or rake \"hosts:activerecord[/path/of/rails]\""
  private_constant :FOLDER, :LINE, :PLACES, :APT, :HELP

  module_function

  # @return [String] the folder of the unpacked source
  # @raise [RuntimeError] it cannot be fetched
  def folder = unpacked || fetch

  def unpacked = Dir[File.join(FOLDER, "unpacked/rails-*/")].first

  def fetch
    %w[lists/partial cache/archives/partial].each { |name| FileUtils.mkdir_p(File.join(FOLDER, name)) }
    File.write(File.join(FOLDER, "sources.list"), format(LINE, DebianRoot.mirror))
    apt_get("update", "-qq")
    apt_get("source", "-qq", "--download-only", "--tar-only", "rails/trixie")
    unpack(Dir[File.join(FOLDER, "rails_*.orig.tar.*")].fetch(0))
    unpacked
  rescue SystemCallError, RuntimeError, IndexError => error
    raise "The source of Rails could not be fetched from Debian trixie: #{error.message}\n#{HELP}"
  end

  # What is interrupted here is not taken for all of it.
  def unpack(archive)
    part = File.join(FOLDER, "part")
    FileUtils.rm_rf(part)
    FileUtils.mkdir_p(part)
    run("tar", "-xf", archive, "-C", part)
    File.rename(part, File.join(FOLDER, "unpacked"))
  end

  def apt_get(*arguments) = run("apt-get", *APT, *arguments)

  def run(*command)
    output, status = Open3.capture2e(*command, chdir: FOLDER)
    raise output unless status.success?
  end

  private_class_method :unpacked, :fetch, :unpack, :apt_get, :run
end
