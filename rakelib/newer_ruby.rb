# frozen_string_literal: true

require "rake"
require "yaml"
require_relative "debian_root"
require_relative "ruby_root"
require_relative "test_parts"
require_relative "test_template"

# The tests whose results may differ on a newer Ruby, with a newer Rails, in a root that has them.
class NewerRuby
  VERSION = "3.3"
  RAILS = "8.1.4.1"
  FILES = File.expand_path("rubies.yml", __dir__)
  PACKAGES = %w[build-essential ca-certificates libpq-dev memcached openssl redis-server].freeze
  ENVIRONMENT = { "RAILS_VERSION" => RAILS, "BUNDLE_SILENCE_ROOT_WARNING" => "1", TestTemplate::NAME => nil }.freeze # a folder outside, of another PostgreSQL
  TEMPLATE = "/var/lib/postgresql/trunkline-template" # inside: initdb takes 1.2 s of a processor, which each of 28 parts took otherwise
  PREPARE = <<~SH
    set -e
    bundle config set --local path vendor/bundle
    bundle check >/dev/null 2>&1 || bundle install --quiet
    exec bundle exec rake --quiet compile
  SH
  AGAIN = ["bundle", "exec", "rake", "rails[#{RAILS}]"].freeze
  private_constant :FILES, :PACKAGES, :ENVIRONMENT, :TEMPLATE, :PREPARE, :AGAIN

  # Runs tests inside the root. The shell is the first process there, and reaps processes without a parent.
  class Part < TestPart
    SHELL = ["sh", "-c", '"$@"; exit $?', "sh"].freeze

    private

    # unshare's child is the shell, whose child is Ruby.
    def tests_of(pid) = child_of(child_of(pid))

    def child_of(pid)
      File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i).first || pid
    rescue Errno::ENOENT
      pid # it has ended meanwhile
    end
  end

  # Prepares the root; this part has no tests.
  class Preparation < TestPart
    def passed? = @status.success?
  end

  private_constant :Preparation

  # @return [Hash{TestPart => Array<TestPart>}] its parts by what makes it ready for them; none where this Ruby is as new
  def self.prepared = RUBY_VERSION < VERSION ? new.then { |newer| { newer.preparation => newer.parts } } : {}

  def initialize
    @root = RubyRoot.new(VERSION)
  end

  # @return [TestPart] makes the root on first use, and brings the sources, the gems and the extension as they are now
  def preparation
    Preparation.new("Ruby #{VERSION}: preparation", %w[bundle exec rake --quiet rubies:prepare], silence: 2 * TestPart::SILENCE_SECONDS)
  end

  # @return [Array<TestPart>] to be run when {#preparation} has passed
  def parts
    files = YAML.load_file(FILES).keys.flat_map { |pattern| Rake::FileList[pattern].to_a }
    ruby = [*@root.command, *Part::SHELL, "ruby", "-rbundler/setup"]
    TestParts.new(files).parts(Part, prefix: "Ruby #{VERSION}: ", ruby: ruby, again: AGAIN, environment: { **environment, TestTemplate::NAME => TEMPLATE })
  end

  # @return [String] of the sources, inside
  def folder = @root.folder

  # @param shared [Array<String>] see {DebianRoot#command}
  # @return [Array<String>] what goes before a command that runs inside, among the sources
  def command(shared: []) = @root.command(shared: shared)

  # @return [Hash{String => String, nil}] of such a command: without what Bundler has set here for this Ruby
  def environment
    outside = Bundler.unbundled_env
    changed = ENV.keys.reject { |name| outside[name] == ENV[name] }
    { **changed.to_h { |name| [name, outside[name]] }, **ENVIRONMENT }
  end

  # Does what {#preparation} promises, in this process.
  # @param packages [Array<String>] of Debian's to be there beside its own
  # @raise [RuntimeError] with what is missing, or has failed
  def prepare(*packages)
    raise "Ruby #{VERSION} is left to be tested: #{DebianRoot.missing}" if DebianRoot.missing

    @root.make(*PACKAGES, *packages)
    inside("sh", "-c", PREPARE)
  end

  # Makes the data folder that the servers of {#parts} are copies of.
  # @raise [RuntimeError] it could not be made
  def make_template = inside("ruby", "-r./rakelib/test_template", "-e", "TestTemplate.keep(ARGV[0])", TEMPLATE)

  private

  def inside(*command)
    system(environment, *@root.command, *command, out: :err) or raise "Ruby #{VERSION} could not be made ready: the reason stands above"
  end
end
