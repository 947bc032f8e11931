# frozen_string_literal: true

require "minitest/autorun"
require "rbconfig"

# As root: in a network namespace of its own.
class DroppedPacketsInNamespaceTest < Minitest::Test
  PROGRAM = File.expand_path("dropped_packets/server_side.rb", __dir__)
  private_constant :PROGRAM

  def test_the_tests_of_the_client_side
    assert system("unshare", "-n", RbConfig.ruby, "-w", "-Ilib", "-Itest", PROGRAM), "see what they have printed; root is needed"
  end
end
