# frozen_string_literal: true

require "tmpdir"
require_relative "psql_script"
require_relative "regression_file"
require_relative "regression_known"

# PostgreSQL's own regression tests: the SQL of their files, in the order of their schedule, through Trunkline and the pg gem. Both must get the same
# answers: texts, values, and SQLSTATE, class and message of an error.
class Regression
  DATABASE = "ALTER DATABASE postgres SET timezone = 'PST8PDT'; ALTER DATABASE postgres SET lc_messages = 'C'; CREATE DATABASE regression"
  # Each statement is executed on one server and then on the other, so each session waits only for locks of its own server.
  #
  # @return [Hash{String => Object}] of both servers
  SETTINGS = { "max_prepared_transactions" => 5, "statement_timeout" => "60s", "lock_timeout" => "2s", "max_connections" => 30 }.freeze
  FIRST = "test_setup" # makes what the others read
  private_constant :DATABASE, :FIRST

  # @return [Array<String>] the differences that are not known, and how a session or a file has ended but by its last statement
  attr_reader :wrong

  # @return [Hash{String => Integer}] statements, those that succeeded, refusals, and differences by the names of the known ones
  attr_reader :counts

  # @param source [String] the folder of PostgreSQL's source; the programs that run must be of its major version
  # @param trunkline [Trunkline::Bench::PostgresServer] with {SETTINGS}
  # @param postgres [Trunkline::Bench::PostgresServer] another one, for the pg gem
  # @param parameters [Boolean] whether string literals are given as parameters
  # @raise [ArgumentError] where the folder has no regression tests
  def initialize(source, trunkline:, postgres:, parameters: false)
    @folder = File.join(source, "src/test/regress")
    raise ArgumentError, "#{source} has no src/test/regress/parallel_schedule" unless File.exist?(schedule)

    @options = { trunkline: trunkline, postgres: postgres, parameters: parameters }
    @known = RegressionKnown.new
    @counts = Hash.new(0)
    @wrong = []
    [trunkline, postgres].each { |server| server.psql(DATABASE) }
  end

  # @param names [Array<String>] of files; all that the schedule names where it is empty
  # @yieldparam file [RegressionFile] each that is done
  # @yieldparam wrong [Array<String>] what is new in {#wrong}
  def run(names = [])
    names = names.empty? ? scheduled : [FIRST, *names].uniq
    Dir.mktmpdir("regression") do |results|
      prepare(results)
      names.each do |name|
        file = read(name, results).run
        count(file)
        @wrong.concat(wrong = [*unknown(file), *file.broken])
        yield file, wrong
      end
    end
  end

  private

  def schedule = File.join(@folder, "parallel_schedule")

  def scheduled = File.read(schedule).scan(/^test: (.*)$/).flat_map { |(names)| names.split }

  # The servers, which do not run as root, write files there.
  def prepare(results)
    Dir.mkdir(File.join(results, "results"))
    File.chmod(0o777, results, File.join(results, "results"))
  end

  def read(name, results)
    text = File.read(File.join(@folder, "sql", "#{name}.sql"), encoding: "UTF-8").scrub("?")
    steps = PsqlScript.new(text, environment(results)).steps
    RegressionFile.new(name, steps, **@options)
  end

  # There is no library of C functions: statements that load it fail on both servers.
  def environment(results)
    { "PG_ABS_SRCDIR" => @folder, "PG_ABS_BUILDDIR" => results, "PG_LIBDIR" => "/nowhere", "PG_DLSUFFIX" => ".so" }
  end

  def count(file)
    @counts["statements"] += file.statements
    @counts["succeeded"] += file.succeeded
    @counts["refused"] += file.refused
  end

  # Returns the unknown differences, and counts the known ones.
  def unknown(file)
    named = file.differences.group_by { |difference| @known.name_of(difference) }
    wrong = named.delete(nil) || []
    named.each { |name, differences| @counts[name] += differences.size }
    wrong.map(&:to_s)
  end
end
