# frozen_string_literal: true

require "test_helper"

# SECURITY.md names the tests of its promises.
class SecurityTest < Trunkline::TestCase
  TEXT = File.read(File.expand_path("../SECURITY.md", __dir__))
  private_constant :TEXT

  def test_each_promise_names_tests_that_exist
    promises, = TEXT.split("What it does not promise:")
    promises.split(/^- /).drop(1).each do |promise|
      named = promise.scan(/`([\w\/]+\.rb)(?:#(\w+))?`/)
      refute_empty named, promise
      named.each { |path, method| assert_match(method ? /def #{method}\b/ : /test_|def /, File.read(File.join(__dir__, path)), path) }
    end
  end
end
