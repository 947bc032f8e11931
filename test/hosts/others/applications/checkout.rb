# frozen_string_literal: true

require "bundler"
require "fileutils"
require "open3"

# A copy of an application's checkout, changed as its user would: the Gemfile's line, the adapter in config/database.yml, and what else is told.
class ApplicationCheckout
  # @return [String] the copy
  attr_reader :folder

  # @param from [String] a checkout; it is not written to
  # @param folder [String] where the copy is to be
  def initialize(from, folder)
    @folder = folder
    FileUtils.cp_r(from, folder)
  end

  # @param name [String] a file of the checkout's
  # @return [String] its path in the copy
  def path(name) = File.join(@folder, name)

  # @param name [String] a file, which need not be there
  # @param text [String] its new contents
  def write(name, text)
    FileUtils.mkdir_p(File.dirname(path(name)))
    File.write(path(name), text)
  end

  # @param name [String] a file, which need not be there
  # @param lines [String] to follow its contents
  def append(name, lines)
    text = File.exist?(path(name)) ? File.read(path(name)) : ""
    write(name, [text.chomp, lines.chomp].reject(&:empty?).map { |part| "#{part}\n" }.join)
  end

  # @param name [String] a file of the checkout's
  # @param before [String] what stands there
  # @param after [String] what shall stand there
  # @raise [ArgumentError] it does not stand there
  def replace(name, before, after)
    text = File.read(path(name))
    raise ArgumentError, "#{name} has no #{before.inspect}" unless text.include?(before)

    write(name, text.gsub(before) { after })
  end

  # Leaves out the section of Gemfile.lock that names Bundler's version: this machine's may be another.
  # @param lock [String] Gemfile.lock of a former run; one that is not there is as none
  def lock(lock)
    own = path("Gemfile.lock")
    FileUtils.cp(lock, own) if File.exist?(lock)
    File.write(own, File.read(own).sub(/^BUNDLED WITH\n.*\n/, "")) if File.exist?(own)
  end

  # @param environment [Hash{String => String}] variables
  # @return [String] what it has printed
  # @raise [RuntimeError] with that, where it fails
  def run(environment, *command)
    output, status = Bundler.with_unbundled_env { Open3.capture2e(environment, *command, chdir: @folder) }
    raise "#{command.join(" ")} failed:\n#{output}" unless status.success?

    output
  end
end
