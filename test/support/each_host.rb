# frozen_string_literal: true

require_relative "hostilities"

# The same tests in several hosts: a module that extends this gets a test class for each.
#
#   extend EachHost
#   in_hosts DatabaseHelpers, Shared::Querying        # ThreadsTest, AsyncTest, ReferenceTest
#   in_hostile_hosts DatabaseHelpers, Shared::Querying
module EachHost
  ALL = { Threads: Hosts::Threads, Async: Hosts::Async, Reference: Hosts::Reference }.freeze

  private

  # @param modules [Array<Module>] what the classes include behind their host
  # @param hosts [Hash{Symbol => Module}] hosts by their names
  # @param named [String] format of the classes' names
  def in_hosts(*modules, hosts: ALL, named: "%sTest")
    hosts.each { |name, host| test_class(format(named, name), host, modules) }
  end

  # @param hostilities [Hash{Symbol => Hash}]
  # @see in_hosts
  def in_hostile_hosts(*modules, hostilities: HOSTILITIES, named: "%sTest")
    hostilities.each do |name, hostility|
      test_class(format(named, name), Hosts::Hostile, modules).define_method(:hostility) { { seed: Minitest.seed, **hostility } }
    end
  end

  def test_class(name, host, modules)
    const_set(name, Class.new(Trunkline::TestCase) { [host, *modules].each { |one| include one } })
  end
end
