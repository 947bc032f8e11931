# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "support/built_gem"

# The gem as its users get it: built, installed where nothing else is, and required from there.
class PackagingTest < Trunkline::TestCase
  include BuiltGem

  MEANT = %r{\A(lib/.*\.rb|lib/trunkline/rack/dashboard/\w+\.(html|css|js)|ext/.*\.(rb|c|h)|exe/\w+|sig/.*\.(rbs|yaml)|LICENSE|README\.md)\z}
  NOT_CALLED = /\A(PQ|pq|pthread_create|rb_thread_create|rb_fiber_new|fork\b)/.freeze
  private_constant :MEANT, :NOT_CALLED

  def test_it_installs_and_the_first_program_runs
    Dir.mktmpdir do |folder|
      gem = File.join(folder, "trunkline.gem")
      build_gem(gem)
      run_command(alone(folder), *rubygems("install", "--local", "--no-document", gem))
      refute_match(/warning/i, File.read(Dir["#{folder}/extensions/**/gem_make.out"].fetch(0)))
      assert_good_neighbour(Dir["#{folder}/gems/**/trunkline.so"].fetch(0))
      assert_equal SAID, first_program(folder)
    end
  end

  def test_it_holds_no_tests_and_no_builds
    assert_empty specification.files.grep_v(MEANT)
  end

  def test_it_needs_nothing_but_what_comes_with_ruby
    assert_equal %w[bigdecimal], specification.runtime_dependencies.map(&:name)
  end

  private

  def specification = @specification ||= Gem::Specification.load(File.join(ROOT, "trunkline.gemspec"))

  # Others find nothing of it but its beginning; it calls no libpq and makes no thread.
  def assert_good_neighbour(library)
    assert_equal %w[Init_trunkline], symbols(library, "--defined-only")
    assert_empty symbols(library, "--undefined-only").grep(NOT_CALLED)
  end

  def symbols(library, which)
    run_command("nm", "-D", which, library).lines.map { |line| line.split.last }
  end

  # @return [Hash{String => String}] of a program that finds the gems in a folder, those that came with Ruby, and no others
  def alone(folder)
    own = File.join(RbConfig::CONFIG["rubylibprefix"], "gems", RbConfig::CONFIG["ruby_version"])
    { "GEM_HOME" => folder, "GEM_PATH" => [folder, own].join(File::PATH_SEPARATOR) }
  end

  def first_program(folder)
    program = File.join(folder, "first_program.rb")
    with_first_program(program) { run_command(alone(folder), RbConfig.ruby, program) }
  end
end
