# frozen_string_literal: true

require "bundler"
require "json"
require "open3"
require "rbconfig"
require_relative "scheduler_programs"

# Published schedulers of other gems: each program under each, in a separate process, as some crash or hang. The gems are outside of the bundle, in a
# folder for each version of Ruby.
class SchedulerTrials
  # Gem -> version and what makes a scheduler in the thread that will use it.
  GEMS = {
    "async" => [RUBY_VERSION >= "3.3" ? "2.46.0" : "2.23.1", "Async::Scheduler.new"],
    "fiber_scheduler" => ["0.13.0", "FiberScheduler.new"],
    "evt" => ["0.4.0", "Evt::Scheduler.new"],
    "libev_scheduler" => ["0.2", "Libev::Scheduler.new"],
    "itsi-scheduler" => ["0.2.27", "Itsi::Scheduler.new"]
  }.freeze
  LIBRARIES = { "itsi-scheduler" => "itsi/scheduler" }.freeze
  LIMIT = 40 # seconds until a program counts as hung
  SOURCES = File.expand_path("..", __dir__)
  FOLDER = File.join(SOURCES, "tmp/schedulers-#{RbConfig::CONFIG["ruby_version"]}")
  # Arguments: the gem, its version, its library, the code that makes a scheduler, and the arguments of {SchedulerPrograms}.
  CHILD = <<~RUBY
    $VERBOSE = nil
    name, version, library, maker, uri, seed, seconds, program = ARGV
    gem name, version
    require library
    require "json"
    require "./rakelib/scheduler_programs"
    outcome = nil
    Thread.new do
      Fiber.set_scheduler(eval(maker))
      Fiber.schedule do
        outcome = [SchedulerPrograms.new(uri, seed: Integer(seed), seconds: Float(seconds)).run(program)]
      rescue Exception => error
        outcome = ["\#{error.class}: \#{error.message}"]
      end
      Fiber.set_scheduler(nil)
    end.join
    puts JSON.generate(outcome)
  RUBY
  private_constant :LIBRARIES, :LIMIT, :SOURCES, :FOLDER, :CHILD

  # @param uri [String] of a PostgreSQL server
  # @param seed [Integer]
  # @param seconds [Numeric] how long the program of random tasks lasts
  def initialize(uri, seed:, seconds:)
    @uri, @seed, @seconds = uri, seed, seconds
  end

  # @return [Hash{String => Hash{String => String}}] scheduler and version -> program -> "works", or what happened
  def run
    GEMS.to_h do |name, (version, _)|
      ["#{name} #{version}", available?(name) ? SchedulerPrograms::ALL.keys.to_h { |program| [program, outcome(name, program)] } : { "" => "cannot be installed" }]
    end
  end

  private

  def available?(name)
    version = GEMS.fetch(name).first
    return true if File.exist?(File.join(FOLDER, "specifications", "#{name}-#{version}.gemspec")) || Dir[File.join(FOLDER, "specifications", "#{name}-#{version}-*.gemspec")].any?

    Bundler.with_unbundled_env do
      Open3.capture2e(RbConfig.ruby, "-S", "gem", "install", "--install-dir", FOLDER, "--no-document", "--version", version, name).last.success?
    end
  end

  def outcome(name, program)
    version, maker = GEMS.fetch(name)
    arguments = [name, version, LIBRARIES.fetch(name, name), maker, @uri, @seed.to_s, @seconds.to_s, program]
    output, status = finished([RbConfig.ruby, "-Ilib", *decimals, "-e", CHILD, *arguments])
    return "hung" if status.nil?
    return "SIG#{Signal.signame(status.termsig)}" if status.signaled?

    said(output)
  end

  # @return [Array<String>] options with which Ruby finds what is a gem from 3.4 on
  def decimals = [Gem.loaded_specs["bigdecimal"]].compact.flat_map(&:full_require_paths).map { |path| "-I#{path}" }

  # @return [String] the outcome, or what has ended the event loop
  def said(output)
    found = JSON.parse(output.lines.last.to_s)&.first
    found.is_a?(Integer) ? "#{found} right" : found || "the event loop ended before it"
  rescue JSON::ParserError
    output[/': (.+ \([\w:]*(?:Error|fatal)\))$/, 1] || output[0, 300]
  end

  # @return [Array(String, Process::Status)] what it has printed, and how it ended; nil: not within the limit
  def finished(command)
    Bundler.with_unbundled_env do
      reader, writer = IO.pipe
      pid = Process.spawn({ "GEM_PATH" => [FOLDER, *Gem.path].join(":") }, *command, chdir: SOURCES, out: writer, err: writer, pgroup: true)
      writer.close
      output = Thread.new { reader.read }
      waiting = Process.detach(pid)
      waiting.join(LIMIT + @seconds) || Process.kill(:KILL, -pid)
      status = waiting.value
      [output.value, status.signaled? && status.termsig == Signal.list["KILL"] ? nil : status]
    end
  end
end
