# frozen_string_literal: true

desc "Run the tests, or those in FILES, so many times (10), with other seeds and uptimes, every other time beside load, until they fail"
task :repeat, [:times] => :compile do |_, arguments|
  require_relative "repetitions"

  Repetitions.new.run(Integer(arguments[:times] || 10)) or abort "The tests have failed: SEED and the rest stand above."
end
