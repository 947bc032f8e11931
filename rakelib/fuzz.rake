# frozen_string_literal: true

require_relative "fuzzer"

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

desc "Fuzz the C files that need no Ruby, for some seconds in all"
task :fuzz do
  fuzz_each.call { |fuzzer| fuzzer.run(runs: 3000, max_len: 256) }
end

namespace :fuzz do
  desc "Fuzz each of them for so many minutes, on from where the last time ended"
  task :long, [:minutes] do |_, arguments|
    seconds = (Float(arguments[:minutes] || 10) * 60).ceil
    fuzz_each.call { |fuzzer| fuzzer.explore(seconds) }
  end
end
