# frozen_string_literal: true

require "fileutils"
require_relative "debian_root"

# Rails' own source with its tests, which Debian trixie has: fetched once, by APT with lists of its own, and kept.
module RailsSource
  FOLDER = File.expand_path("../tmp/rails", __dir__)
  LINE = "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n"
  private_constant :FOLDER, :LINE

  module_function

  # @return [String] the folder of the unpacked source
  # @raise [RuntimeError] it cannot be fetched
  def folder = unpacked || fetch

  def unpacked = Dir[File.join(FOLDER, "unpacked/rails-*/")].first

  def fetch
    %w[lists/partial cache/archives/partial].each { |name| FileUtils.mkdir_p(File.join(FOLDER, name)) }
    File.write(File.join(FOLDER, "sources.list"), format(LINE, DebianRoot.new("trixie", 17).mirror))
    apt_get("update", "-qq")
    apt_get("source", "-qq", "--download-only", "--tar-only", "rails/trixie")
    unpack(Dir[File.join(FOLDER, "rails_*.orig.tar.*")].fetch(0))
    unpacked
  rescue SystemCallError, RuntimeError => error
    raise "The source of Rails could not be fetched (#{error.message}). Unpack one, and name its folder: rake \"hosts:activerecord[/path/of/rails]\""
  end

  # What is interrupted here is not taken for all of it.
  def unpack(archive)
    part = File.join(FOLDER, "part")
    FileUtils.rm_rf(part)
    FileUtils.mkdir_p(part)
    system("tar", "-xf", archive, "-C", part, exception: true)
    File.rename(part, File.join(FOLDER, "unpacked"))
  end

  def apt_get(*arguments)
    places = { "Dir::Etc::sourcelist" => "sources.list", "Dir::State::lists" => "lists", "Dir::Cache" => "cache" }
    options = places.flat_map { |name, place| ["-o", "#{name}=#{File.join(FOLDER, place)}"] }
    system("apt-get", *options, "-o", "Dir::Etc::sourceparts=-", *arguments, chdir: FOLDER, exception: true)
  end

  private_class_method :unpacked, :fetch, :unpack, :apt_get
end
