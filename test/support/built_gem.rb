# frozen_string_literal: true

require "open3"
require "rbconfig"
require "support/app"

# The gem, built from the sources, and the first program of the README.
module BuiltGem
  ROOT = File.expand_path("../..", __dir__)
  PROGRAM = File.read(File.join(ROOT, "README.md"), encoding: "UTF-8")[/^```ruby\n(.*?)^```/m, 1]
  # The program's output.
  SAID = "Barbara\n"
  private_constant :PROGRAM

  private

  # @param path [String] of the gem
  def build_gem(path) = run_command(*rubygems("build", "--output", path, "trunkline.gemspec"))

  def rubygems(*arguments) = [RbConfig.ruby, "-S", "gem", *arguments]

  # Writes the first program, for a database that exists during the block.
  #
  # @param path [String]
  # @return [Object] the block's value
  def with_first_program(path)
    App.open(postgres_server) do |_db, uri|
      File.write(path, PROGRAM.gsub("postgres:///app", uri))
      yield
    end
  end

  # @return [String] what the command prints
  def run_command(*command)
    output, status = Bundler.with_unbundled_env { Open3.capture2e(*command, chdir: ROOT) }
    assert_predicate status, :success?, output
    output
  end
end
