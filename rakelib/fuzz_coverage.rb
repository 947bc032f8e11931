# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require_relative "fuzzer"
require_relative "sanitized_extension"

# Measures which lines of the extension the fuzzers reach: the codecs' fuzzer, and those of the files without Ruby with the inputs that they have
# found so far.
class FuzzCoverage
  ROOT = File.expand_path("..", __dir__)
  BUILD = File.join(ROOT, "tmp/fuzz-coverage")
  # Left out, as their input does not come from a server: sending, choosing connections, waking and measuring.
  MEASURED = %r{\Aext/trunkline/(bytes|postgres|memcached)/}
  REPLAY = <<~C
    #include "fuzz.h"
    #include <stdio.h>
    int main(int argc, char **argv) {
        static uint8_t bytes[1 << 16];
        for (int at = 1; at < argc; at++) {
            FILE *file = fopen(argv[at], "rb");
            MUST(file);
            LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, file));
            fclose(file);
        }
        return 0;
    }
  C
  private_constant :ROOT, :BUILD, :MEASURED, :REPLAY

  def initialize
    @lines = Hash.new { |files, name| files[name] = Hash.new(0) }
  end

  # @param rounds [Integer] of the codecs' fuzzer
  # @return [Hash{String => Array(Integer, Integer)}] by file: lines that were reached, and all that hold code
  def measure(rounds)
    FileUtils.rm_rf(BUILD)
    run_codecs(rounds)
    Fuzzer.names.each { |name| replay(name) }
    @lines.select { |file, _| file.match?(MEASURED) && file.end_with?(".c") }.sort.to_h.transform_values { |lines| [lines.values.count(&:positive?), lines.size] }
  end

  private

  def run_codecs(rounds)
    extension = SanitizedExtension.new(coverage: true).build
    FileUtils.rm_f(Dir[File.join(extension.folder, "*.gcda")])
    extension.run("test/fuzz/codec/program.rb", "1", "0", rounds.to_s)
    collect(extension.folder)
  end

  def replay(name)
    folder = File.join(BUILD, name)
    FileUtils.mkdir_p(folder)
    File.write(File.join(folder, "replay.c"), REPLAY)
    compile([*Fuzzer.new(name).files.grep(/c\z/), "replay.c"], folder)
    inputs = [File.join(ROOT, "test/fuzz/corpus", name), File.join(ROOT, "tmp/fuzz/corpus", name)].flat_map { |found| Dir[File.join(found, "*")] }
    inputs.each_slice(1000) { |slice| execute("./replay", *slice, chdir: folder) }
    collect(folder)
  end

  # A harness may have the same name as its source, so each object file has its own name.
  def compile(sources, folder)
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-O0", "--coverage", "-I#{ROOT}/ext/trunkline", "-I#{ROOT}/test/fuzz"]
    sources.each_with_index { |source, number| execute("gcc", *flags, "-c", source, "-o", "#{number}.o", chdir: folder) }
    execute("gcc", "--coverage", "-o", "replay", *sources.each_index.map { |number| "#{number}.o" }, "-lm", chdir: folder)
  end

  def collect(folder)
    Dir[File.join(folder, "*.gcda")].each do |data|
      JSON.parse(execute("gcov", "--json-format", "--stdout", data, chdir: folder))["files"].each do |file|
        name = File.expand_path(file["file"], folder).delete_prefix("#{ROOT}/")
        file["lines"].each { |line| @lines[name][line["line_number"]] += line["count"] }
      end
    end
  end

  def execute(*command, chdir:)
    output, errors, status = Open3.capture3(*command, chdir: chdir)
    raise SanitizedExtension::Failure, "#{command.first(2).join(" ")}: #{status}\n#{errors}" unless status.success?

    output
  end
end
