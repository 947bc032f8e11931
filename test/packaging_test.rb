# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "support/built_gem"

# The gem as its users get it: built, installed where nothing else is, and required from there.
class PackagingTest < Trunkline::TestCase
  include BuiltGem

  MEANT = %r{\A(lib/.*\.rb|lib/trunkline/rack/dashboard/\w+\.(html|css|js)|ext/.*\.(rb|c|h)|exe/\w+|sig/.*\.(rbs|yaml)|LICENSE|\w+\.md|
               guides/[\w-]+\.md|guides/diagrams/[\w-]+\.svg|bench/(README|results/[\w-]+)\.md|examples/.*\.r[bu])\z}x
  URIS = %w[homepage_uri source_code_uri changelog_uri documentation_uri bug_tracker_uri].freeze
  EXTCONF = File.join(ROOT, "ext/trunkline/extconf.rb")
  # What a system without poll(2) has mkmf find.
  WITHOUT_POLL = "require 'mkmf'; def have_func(name, *) = name != 'poll'"
  private_constant :URIS, :EXTCONF, :WITHOUT_POLL
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

  def test_it_holds_the_guides_and_the_changes
    assert_empty Dir.chdir(ROOT) { %w[CHANGELOG.md SECURITY.md] + Dir["guides/*.md"] } - specification.files
  end

  def test_the_versions_that_are_promised_are_the_gems
    promised = File.read(File.join(ROOT, "guides/upgrading.md"), encoding: "UTF-8").scan(/^\| (Ruby|PostgreSQL|memcached) \| (?:CRuby )?([\d.]+) \|/).to_h
    needed = { "Ruby" => specification.required_ruby_version.to_s, "PostgreSQL" => specification.metadata["postgresql_versions"], "memcached" => specification.metadata["memcached_versions"] }
    assert_equal needed, promised.transform_values { |version| ">= #{version}" }
  end

  def test_every_link_leads_to_a_file_of_the_gem
    lost = specification.files.grep(/\.md\z/).flat_map { |page| links(page).reject { |path| there?(path) }.map { |path| "#{page}: #{path}" } }
    assert_empty lost
  end

  def test_its_page_has_addresses
    assert_equal specification.metadata["homepage_uri"], specification.homepage
    URIS.each { |name| assert_match(%r{\Ahttps://\S+\z}, specification.metadata[name], name) }
  end

  def test_it_is_built_without_a_warning
    Dir.mktmpdir { |folder| refute_match(/warning/i, run_command(*rubygems("build", "--strict", "--output", File.join(folder, "gem"), "trunkline.gemspec"))) }
  end

  def test_windows_is_refused_in_a_sentence
    %w[mingw32 mswin64_140 cygwin].each do |system|
      assert_equal 1, refusal("RbConfig::CONFIG['host_os'] = '#{system}'").lines.size
      assert_match(/does not run on Windows.*WSL 2/, refusal("RbConfig::CONFIG['host_os'] = '#{system}'"))
    end
  end

  def test_what_a_system_lacks_is_named
    assert_match(/^Trunkline does not build on linux.*, which lacks poll \(mkmf\.log tells more\)$/, refusal(WITHOUT_POLL))
  end

  def test_another_ruby_gets_the_reason
    assert_match(/CRuby: jruby cannot load it/, refusal("Object.__send__(:remove_const, :RUBY_ENGINE); RUBY_ENGINE = 'jruby'"))
  end

  private

  # @return [Array<String>] paths that a page links to, from the project's folder
  def links(page)
    text = File.read(File.join(ROOT, page), encoding: "UTF-8")
    text.scan(/\]\(([^)\s]+)\)/).flatten.grep_v(/\A(https?:|#)/).map { |link| File.expand_path(link[/[^#]+/], File.join("/", File.dirname(page))).delete_prefix("/") }
  end

  def there?(path) = specification.files.any? { |file| file == path || file.start_with?("#{path}/") }

  # @param change [String] what is run before extconf.rb, to be on another system
  # @return [String] what it says when it ends without a makefile
  def refusal(change)
    Dir.mktmpdir do |folder|
      output, status = Open3.capture2e(RbConfig.ruby, "-rrbconfig", "-e", "#{change}; load ARGV.shift", EXTCONF, chdir: folder)
      refute_predicate status, :success?, output
      output.lines.grep_v(/\Achecking/).join
    end
  end

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
