# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "tmpdir"

# bin/setup where it may install nothing.
class SetupTest < Trunkline::TestCase
  SETUP = File.expand_path("../bin/setup", __dir__)
  private_constant :SETUP

  def test_what_is_missing_is_named
    Dir.mktmpdir do |folder|
      FileUtils.ln_s(`which dirname`.chomp, folder)
      write_program(File.join(folder, "id"), "echo 1000") # an ordinary user's
      output, status = Open3.capture2e({ "PATH" => folder }, SETUP)
      assert_match(/\APlease install Ruby 3\.1 or newer, Ruby's headers, Bundler, a C compiler and make, .*, and then try again\.\n\z/, output)
      assert_equal 1, status.exitstatus
    end
  end

  private

  def write_program(path, line)
    File.write(path, "#!/bin/sh\n#{line}\n")
    File.chmod(0o755, path)
  end
end
