# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "tmpdir"
require "support/app"

# The gem as its users get it: built, installed where nothing else is, and required from there.
class PackagingTest < Trunkline::TestCase
  ROOT = File.expand_path("..", __dir__)
  PROGRAM = File.read(File.join(ROOT, "README.md"))[/^```ruby\n(.*?)^```/m, 1]
  private_constant :ROOT, :PROGRAM

  def test_it_installs_and_the_first_program_runs
    Dir.mktmpdir do |folder|
      gem = File.join(folder, "trunkline.gem")
      run_command("gem", "build", "--output", gem, "trunkline.gemspec")
      run_command("gem", "install", "--local", "--no-document", "--install-dir", folder, gem)
      refute_match(/warning/i, File.read(Dir["#{folder}/extensions/**/gem_make.out"].fetch(0)))
      assert_empty exported_symbols(Dir["#{folder}/gems/**/trunkline.so"].fetch(0)) - ["Init_trunkline"]
      assert_equal "Barbara\n", first_program(folder)
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

  def exported_symbols(library)
    run_command("nm", "-D", "--defined-only", library).lines.map { |line| line.split.last }
  end

  # With nothing but the installed gem and Ruby's own.
  def first_program(folder)
    App.open(postgres_server) do |_db, uri|
      program = File.join(folder, "first_program.rb")
      File.write(program, PROGRAM.gsub("postgres:///app", uri))
      run_command({ "GEM_HOME" => folder, "GEM_PATH" => folder }, RbConfig.ruby, program)
    end
  end

  def run_command(*command)
    output, status = Bundler.with_unbundled_env { Open3.capture2e(*command, chdir: ROOT) }
    assert_predicate status, :success?, output
    output
  end
end
