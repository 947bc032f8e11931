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
  # @raise [RuntimeError] a command has failed
  def folder = unpacked || fetch

  def unpacked = Dir[File.join(FOLDER, "rails-*/")].first

  def fetch
    %w[lists/partial cache/archives/partial].each { |name| FileUtils.mkdir_p(File.join(FOLDER, name)) }
    File.write(File.join(FOLDER, "sources.list"), format(LINE, DebianRoot.new("trixie", 17).mirror))
    apt_get("update", "-qq")
    apt_get("source", "-qq", "--download-only", "--tar-only", "rails/trixie")
    system("tar", "-xf", Dir[File.join(FOLDER, "rails_*.orig.tar.*")].fetch(0), "-C", FOLDER, exception: true)
    unpacked
  end

  def apt_get(*arguments)
    places = { "Dir::Etc::sourcelist" => "sources.list", "Dir::State::lists" => "lists", "Dir::Cache" => "cache" }
    options = places.flat_map { |name, place| ["-o", "#{name}=#{File.join(FOLDER, place)}"] }
    system("apt-get", *options, "-o", "Dir::Etc::sourceparts=-", *arguments, chdir: FOLDER, exception: true)
  end

  private_class_method :unpacked, :fetch, :apt_get
end
