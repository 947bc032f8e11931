# frozen_string_literal: true

require "etc"
require "fileutils"
require "open3"
require "rbconfig"

# The extension built with gcc's AddressSanitizer and UndefinedBehaviorSanitizer, and Ruby programs that run on it.
#
#   SanitizedExtension.new.run("test/fuzz/codec/program.rb", "1", "0", "1000")
class SanitizedExtension
  ROOT = File.expand_path("..", __dir__)
  SOURCES = File.join(ROOT, "ext/trunkline")
  # Ruby leaves C frames by longjmp, which AddressSanitizer does not detect, and its marks around local variables remain: so it does not check the
  # stack; the stack protector does, and UndefinedBehaviorSanitizer checks arrays there.
  SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all --param asan-stack=0 -fstack-protector-strong"
  COMPILER = "gcc"
  # Ruby frees nothing at exit, keeps references only on the stack, lets malloc fail, and gives each thread its own signal stack.
  OPTIONS = {
    "ASAN_OPTIONS" => "detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1:use_sigaltstack=0", "UBSAN_OPTIONS" => "print_stacktrace=1"
  }.freeze
  private_constant :ROOT, :SOURCES, :SANITIZERS, :COMPILER, :OPTIONS

  # The extension does not compile, or a program has failed on it: the message is the program's output.
  class Failure < StandardError; end

  # @return [Boolean] whether gcc is here, and its sanitizers with it
  def self.available? = File.file?(runtime)

  # @return [String] what to install where it is not
  def self.missing = "this needs gcc with libasan and libubsan: bin/setup installs build-essential on Debian"

  # @return [String] the library that has to be loaded before Ruby; without a folder: there is none
  def self.runtime
    @runtime ||= File.realpath(Open3.capture2(COMPILER, "-print-file-name=libasan.so").first.chomp)
  rescue SystemCallError
    "libasan.so"
  end

  # @return [String] where the objects are, and what the compiler writes beside them
  attr_reader :folder

  # @param coverage [Boolean] whether programs write which lines they reach
  def initialize(coverage: false)
    @flags = "-O0 #{SANITIZERS}#{" --coverage" if coverage}"
    @folder = File.join(ROOT, "tmp", coverage ? "sanitized-coverage" : "sanitized", "#{RUBY_PLATFORM}-#{RUBY_VERSION}")
  end

  # Builds what is out of date; concurrent processes do so one after the other.
  #
  # @return [self]
  # @raise [Failure]
  def build
    FileUtils.mkdir_p(File.join(folder, "trunkline"))
    File.open(File.join(folder, "lock"), "w") do |lock|
      lock.flock(File::LOCK_EX)
      make
    end
    self
  end

  # Runs a Ruby program with the sanitized extension, from the project's folder.
  #
  # @param program [String] a Ruby file
  # @param arguments [Array<String>]
  # @return [String] what it wrote
  # @raise [Failure] it failed
  def run(program, *arguments)
    build
    environment = { "LD_PRELOAD" => self.class.runtime, "RUBYOPT" => nil, **OPTIONS }
    execute(environment, RbConfig.ruby, "-w", "-I#{folder}", "-Ilib", "-Itest", "-rbundler/setup", program, *arguments, chdir: ROOT)
  end

  private

  def make
    configure unless fresh?
    execute({}, "make", "-j#{Etc.nprocessors}", "V=1")
    built, loaded = File.join(folder, "trunkline.so"), File.join(folder, "trunkline/trunkline.so")
    FileUtils.cp(built, loaded) unless File.exist?(loaded) && File.mtime(built) < File.mtime(loaded)
  end

  def makefile = File.join(folder, "Makefile")

  # A makefile lists the sources of when it was made, and has no dependencies on headers.
  def fresh?
    return false unless File.exist?(makefile)

    inputs = [__FILE__, File.join(SOURCES, "extconf.rb"), *Dir[File.join(SOURCES, "**/*.h")], *Dir[File.join(SOURCES, "**/")]]
    inputs.all? { |input| File.mtime(input) < File.mtime(makefile) }
  end

  def configure
    FileUtils.rm_f(Dir[File.join(folder, "*.{o,so,gcno,gcda}")])
    execute({ "CC" => COMPILER }, RbConfig.ruby, File.join(SOURCES, "extconf.rb"))
    made = File.read(makefile)
    made.sub!(/^LDSHARED = .*/) { |line| "#{line} #{@flags}" }
    made.sub!(/^CFLAGS *= .*/) { |line| "#{line} -g1 -fno-omit-frame-pointer #{@flags}" }
    File.write(makefile, made)
  end

  def execute(environment, *command, chdir: folder)
    output, status = Open3.capture2e(environment, *command, chdir: chdir)
    raise Failure, "#{command.join(" ")}: #{status}\n#{output.scrub}" unless status.success?

    output
  end
end
