# frozen_string_literal: true

require "fileutils"
require "open3"
require "tmpdir"

# The extension's files without Ruby, built with clang's sanitizers, and run with inputs from its fuzzer.
#
#   Fuzzer.new("array_text").run(runs: 10_000)
class Fuzzer
  ROOT = File.expand_path("..", __dir__)
  HARNESSES = File.join(ROOT, "test/fuzz")
  SOURCES = File.join(ROOT, "ext/trunkline")
  BUILD = File.join(ROOT, "tmp/fuzz")
  FLAGS = %W[-std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer
             -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I#{SOURCES}].freeze
  # gcc assumes that a const parameter is read, and that an empty copy is not written.
  REPLAY_FLAGS = %W[-static -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Wno-maybe-uninitialized -I#{SOURCES}].freeze
  private_constant :ROOT, :HARNESSES, :SOURCES, :BUILD, :FLAGS, :REPLAY_FLAGS

  # A harness does not compile, or an input has made it fail.
  class Failure < StandardError; end

  # @return [Array<String>] names of the harnesses
  def self.names = Dir[File.join(HARNESSES, "*.c")].map { |path| File.basename(path, ".c") }.sort - ["replay"]

  # @return [Boolean] whether clang is here, and its fuzzer with it
  def self.available?
    output, status = Open3.capture2e("clang", "-print-file-name=libclang_rt.fuzzer-#{RbConfig::CONFIG["host_cpu"]}.a")
    status.success? && File.file?(output.chomp)
  rescue Errno::ENOENT
    false
  end

  # @return [String] what to install where it is not
  def self.missing = "fuzzing needs clang with libFuzzer: bin/setup installs clang and libclang-rt-dev on Debian"

  # @param name [String] of a harness
  def initialize(name)
    @name = name
  end

  # Builds what is out of date, and runs the committed inputs and then generated ones.
  #
  # @param found [String, nil] folder that keeps inputs which reach more of the code, for the next time
  # @param limits [Hash{Symbol => Integer}] libFuzzer's: runs, max_len (bytes), max_total_time (seconds), seed
  # @return [String] the fuzzer's report
  # @raise [Failure] with the report of what went wrong; the input lies in tmp/fuzz
  def run(found: nil, **limits)
    return Dir.mktmpdir { |folder| run(found: folder, **limits) } unless found

    build unless fresh?
    options = limits.map { |option, value| "-#{option}=#{value}" }
    execute(program, "-artifact_prefix=#{BUILD}/#{@name}-", "-timeout=10", "-verbosity=0", "-print_final_stats=1", *options, found, corpus)
  end

  # Continues with the inputs that earlier runs have found.
  #
  # @param seconds [Integer]
  # @return [String] the fuzzer's report
  # @raise [Failure]
  def explore(seconds)
    found = File.join(BUILD, "corpus", @name)
    FileUtils.mkdir_p(found)
    run(found: found, max_total_time: seconds)
  end

  # Runs the harness, built by a compiler that need not have a fuzzer, with the committed inputs and mutations of them.
  #
  # @param compiler [String] a gcc
  # @param program [String] path of what is built
  # @param emulator [Array<String>] what runs it, if this processor does not
  # @return [String] how many inputs
  # @raise [Failure]
  def replay(compiler, program, *emulator)
    execute(compiler, *REPLAY_FLAGS, "-o", program, *files.grep(/c\z/), File.join(HARNESSES, "replay.c"), "-lm")
    execute(*emulator, program, *Dir[File.join(corpus, "*")])
  end

  # @return [Array<String>] the harness, what it includes, what that includes, and the sources of it all
  def files
    @files ||= [harness].tap do |found|
      found.each { |file| found.concat(family(file) - found) }
    end
  end

  private

  def program = File.join(BUILD, @name)
  def harness = File.join(HARNESSES, "#{@name}.c")
  def corpus = File.join(HARNESSES, "corpus", @name)

  def family(file)
    included = File.read(file).scan(/^#include "(.+)"/).flatten.map do |name|
      [File.dirname(file), SOURCES].map { |folder| File.expand_path(name, folder) }.find { |path| File.file?(path) }
    end
    [*included, file.sub(/h\z/, "c")].select { |path| path && File.file?(path) }
  end

  def fresh? = File.exist?(program) && files.all? { |file| File.mtime(file) < File.mtime(program) }

  def build
    FileUtils.mkdir_p(BUILD)
    execute("clang", *FLAGS, "-o", program, *files.grep(/c\z/), "-lm")
  end

  def execute(*command)
    output, status = Open3.capture2e(*command)
    raise Failure, "#{@name}: #{output}" unless status.success?

    output
  end
end
