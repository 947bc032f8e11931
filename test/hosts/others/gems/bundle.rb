# frozen_string_literal: true

require "bundler"
require "fileutils"
require "open3"

# A Gemfile with the gems of this project, in the versions of its Gemfile.lock, and those that the tests of another gem need beside them.
class GemBundle
  # @param name [String] the other gem's
  # @param gems [Hash{String => String}] versions by name
  # @param house [String] this project's folder; the Gemfile is in its tmp, the gems are beside the project's own
  # @param file [String] the Gemfile's name
  def initialize(name, gems, house, file: "Gemfile")
    @gems = gems
    @house = house
    @file = File.join(house, "tmp", "suites", name, file)
  end

  # @return [Hash{String => String}] variables by which Bundler finds it
  def environment = { "BUNDLE_GEMFILE" => @file, "BUNDLE_PATH" => File.join(@house, "vendor/bundle") }

  # @return [void]
  # @raise [RuntimeError] with Bundler's words, where a gem cannot be had
  def install
    write(@file, ["eval_gemfile #{File.join(@house, "Gemfile").inspect}", *@gems.map { |name, version| "gem #{name.inspect}, #{version.to_s.inspect}" }].join("\n"))
    lock = "#{@file}.lock"
    write(lock, File.read(File.join(@house, "Gemfile.lock")).sub(/^  remote: \.$/, "  remote: #{@house}")) unless File.exist?(lock)
    run("check") || run("install", "--quiet") or raise "#{@file}: #{@output}"
  end

  private

  def write(path, text)
    return if File.exist?(path) && File.read(path) == text

    FileUtils.mkdir_p(File.dirname(path))
    FileUtils.rm_f("#{path}.lock")
    File.write(path, text)
  end

  def run(*command)
    @output, status = Bundler.with_unbundled_env { Open3.capture2e(environment, "bundle", *command) }
    status.success?
  end
end
