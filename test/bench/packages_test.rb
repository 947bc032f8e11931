# frozen_string_literal: true

require "test_helper"
require_relative "../../bench/support/packages"

module Trunkline
  module Bench
    class PackagesTest < Trunkline::TestCase
      def test_programs_that_are_there
        assert Packages.program?("sh")
        assert_nil Packages.need_program("sh")
        refute Packages.program?("no-such-program")
      end

      def test_what_a_command_prints
        assert_equal "a b", Packages.run("echo", "a b")
      end

      def test_what_cannot_be_run_is_missing
        assert_match(/\Ash -c exit 3 failed/, assert_raises(Packages::Missing) { Packages.run("sh", "-c", "exit 3") }.message)
        assert_match(/no-such-program/, assert_raises(Packages::Missing) { Packages.run("no-such-program") }.message)
      end
    end
  end
end
