# frozen_string_literal: true

require "fileutils"
require_relative "foreign_platform"

desc "Compile for s390x (big-endian), arm64 and armhf (32 bits) and run the codecs' tests under qemu; compile with musl's gcc and with clang"
task platforms: [*ForeignPlatform::ALL.keys, "musl", "clang"].map { |name| "platforms:#{name}" }

namespace :platforms do
  # Two need gems that the other Ruby does not have; with GC.stress an emulator takes minutes for one test.
  left_out = %w[block_exit_test types/agreement_test types/collection_test].map { |name| "test/ext/postgres/#{name}.rb" }
  codecs = FileList["test/ext/{postgres,memcached}/**/*_test.rb"].exclude(*left_out)

  ForeignPlatform::ALL.each_key do |architecture|
    task(architecture) do
      platform = ForeignPlatform.new(architecture)
      abort platform.missing if platform.missing
      written = platform.compile
      abort written if written.include?("warning:")
      puts "#{architecture}: compiled, and #{platform.replay.size} fuzzers' harnesses took their inputs"
      puts "#{architecture}: #{platform.test(codecs)[/^\d+ runs.*/]}"
    end
  end

  # What needs no Ruby; Debian has no Ruby for musl.
  task :musl do
    abort "musl needs musl-gcc: Debian's package musl-tools" unless system("command -v musl-gcc >/dev/null")
    folder = FileUtils.mkdir_p("tmp/platforms/musl").first
    Fuzzer.names.each { |name| Fuzzer.new(name).replay("musl-gcc", File.join(folder, name)) }
    puts "musl: #{Fuzzer.names.size} fuzzers' harnesses compiled, and took their inputs"
  end

  task :clang do
    extconf = File.expand_path("ext/trunkline/extconf.rb")
    folder = FileUtils.mkdir_p("tmp/platforms/clang").first
    sh({ "CC" => "clang", "CFLAGS" => "-Wall -Wextra -Werror" }, RbConfig.ruby, extconf, chdir: folder, out: File::NULL)
    sh "make", "-B", chdir: folder, out: File::NULL
    puts "clang: compiled"
  end
end
