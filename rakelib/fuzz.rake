# frozen_string_literal: true

require_relative "fuzz_coverage"
require_relative "fuzzer"
require_relative "sanitized_extension"

# Each harness in turn, with what the block does with it.
fuzz_each = lambda do |&work|
  abort Fuzzer.missing unless Fuzzer.available?
  Fuzzer.names.each do |name|
    report = work.call(Fuzzer.new(name))
    puts "#{name}: #{report[/number_of_executed_units: *(\d+)/, 1]} inputs"
  rescue Fuzzer::Failure => failure
    abort failure.message
  end
end

on_sanitizers = lambda do |&work|
  abort SanitizedExtension.missing unless SanitizedExtension.available?
  work.call
rescue SanitizedExtension::Failure => failure
  abort failure.message
end

desc "Fuzz the C files that need no Ruby, for some seconds in all"
task :fuzz do
  fuzz_each.call { |fuzzer| fuzzer.run(runs: 3000, max_len: 256) }
end

namespace :fuzz do
  desc "Fuzz each of them for so many minutes, with the inputs that earlier runs have found"
  task :long, [:minutes] do |_, arguments|
    seconds = (Float(arguments[:minutes] || 10) * 60).ceil
    fuzz_each.call { |fuzzer| fuzzer.explore(seconds) }
  end

  desc "Fuzz all code that decodes a server's messages, under sanitizers, for so many minutes"
  task :codec, %i[minutes seed] do |_, arguments|
    seed = Integer(arguments[:seed] || Random.new_seed % 1_000_000)
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + (60 * Float(arguments[:minutes] || 10))
    on_sanitizers.call do
      0.step(by: 5000).find do |first|
        puts "seed #{seed}, rounds from #{first}", SanitizedExtension.new.run("test/fuzz/codec/program.rb", seed.to_s, first.to_s, "5000")
        Process.clock_gettime(Process::CLOCK_MONOTONIC) > finish
      end
    end
  end

  desc "Print how many lines of the extension the fuzzers reach, in each file, after so many rounds of the codecs', with the inputs that fuzz:long has found"
  task :coverage, [:rounds] do |_, arguments|
    on_sanitizers.call do
      files = FuzzCoverage.new.measure(Integer(arguments[:rounds] || 10_000))
      files.each { |file, (reached, all)| puts format("%5.1f %%  %4d of %4d  %s", 100.0 * reached / all, reached, all, file) }
      reached, all = files.values.transpose.map(&:sum)
      puts format("%5.1f %%  %4d of %4d  in all", 100.0 * reached / all, reached, all)
    end
  end
end
