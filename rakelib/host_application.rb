# frozen_string_literal: true

require "rbconfig"
require_relative "../test/hosts/others/applications/suite"
require_relative "newer_ruby"

# The tests of a whole application, with this Ruby, or in a Debian root with a newer one, where the application's file says so.
class HostApplication
  PROGRAM = "test/hosts/others/application.rb"
  private_constant :PROGRAM

  # @param name [String] the application's
  # @param folder [String] of its checkout
  # @raise [ArgumentError] there is no file for that name
  def initialize(name, folder)
    @settings = ApplicationSuite.settings(name)
    @folder = folder
    @variables = { "NAME" => name, "FOLDER" => folder }
  end

  # @return [Boolean] whether nothing differs without a reason
  # @raise [RuntimeError] the root could not be made
  def run
    return system(@variables, RbConfig.ruby, "-Ilib", "-Itest", PROGRAM) unless elsewhere?

    newer = NewerRuby.new.tap { |ruby| ruby.prepare(*@settings.fetch("packages", [])) }
    system({ **newer.environment, **@variables }, *newer.command(shared: [@folder]), "bundle", "exec", "ruby", "-Ilib", "-Itest", PROGRAM)
  end

  private

  def elsewhere? = @settings["ruby"] && RUBY_VERSION < @settings["ruby"]
end
