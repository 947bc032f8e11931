# frozen_string_literal: true

require "bundler"
require "rbconfig"
require "yaml"
require_relative "newer_ruby"
require_relative "ruby_root"

# The tests of a whole application, with this Ruby, or in a Debian root with a newer one, where the application's file says so.
class HostApplication
  SUITES = File.expand_path("../test/hosts/others/applications/suites", __dir__)
  PROGRAM = "test/hosts/others/application.rb"
  private_constant :SUITES, :PROGRAM

  # @param name [String] the application's
  # @param folder [String] of its checkout
  # @raise [ArgumentError] there is no file for that name
  def initialize(name, folder)
    file = File.join(SUITES, "#{name}.yml")
    raise ArgumentError, "there is no suite #{name} in #{SUITES}" unless File.exist?(file)

    @settings = YAML.load_file(file, aliases: true)
    @folder = folder
    @variables = { "NAME" => name, "FOLDER" => folder }
  end

  # @return [Boolean] whether nothing differs without a reason
  # @raise [RuntimeError] the root could not be made
  def run
    return system(@variables, RbConfig.ruby, "-Ilib", "-Itest", PROGRAM) unless elsewhere?

    RubyRoot.new(NewerRuby::VERSION).make(*@settings.fetch("packages", []))
    newer = NewerRuby.new.tap(&:prepare)
    system({ **newer.environment, **@variables }, *newer.command(shared: [@folder]), "bundle", "exec", "ruby", "-Ilib", "-Itest", PROGRAM)
  end

  private

  def elsewhere? = @settings["ruby"] && RUBY_VERSION < @settings["ruby"]
end
