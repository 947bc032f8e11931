# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "tmpdir"

# What is in the gem must be enough to build it where it is installed.
class PackagingTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  private_constant :ROOT

  def test_the_extension_can_be_made_from_what_the_gem_holds
    unpacked do |folder|
      Dir.chdir(File.join(folder, "ext/trunkline")) do
        run_command(RbConfig.ruby, "extconf.rb")
        plan = run_command("make", "-n")
        Dir["**/*.c"].each { |source| assert_match(%r{(\A|[ /])#{Regexp.escape(source)}$}, plan) }
      end
    end
  end

  def test_it_holds_no_tests_and_no_builds
    assert_empty specification.files.grep_v(%r{\A((lib|ext|exe)/.*\.(rb|c|h)|exe/\w+|LICENSE|README\.md)\z})
  end

  def test_it_needs_no_other_gem
    assert_empty specification.runtime_dependencies
  end

  private

  def specification = @specification ||= Gem::Specification.load(File.join(ROOT, "trunkline.gemspec"))

  def unpacked
    Dir.mktmpdir do |folder|
      specification.files.each do |file|
        target = File.join(folder, file)
        FileUtils.mkdir_p(File.dirname(target))
        FileUtils.cp(File.join(ROOT, file), target)
      end
      yield folder
    end
  end

  def run_command(*command)
    output, status = Bundler.with_unbundled_env { Open3.capture2e(*command) }
    assert_predicate status, :success?, output
    output
  end
end
