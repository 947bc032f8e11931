# frozen_string_literal: true

require "rake/testtask"
require_relative "newer_ruby"
require_relative "debian_source"
require_relative "memory_folder"
require_relative "sanitized_extension"
require_relative "test_parts"
require_relative "test_run"
require_relative "test_template"

# All parts copy one server's data folder.
run_parts = lambda do |parts, **options|
  MemoryFolder.use
  TestTemplate.use
  TestRun.new(parts, **options).run or abort "Some tests have failed: their output stands above."
end

Rake::TestTask.new("test:files" => :compile) do |test|
  test.description = nil
  test.libs = %w[lib test]
  test.test_files = ENV["FILES"].to_s.split
  test.warning = true
end

desc "Run the tests, or only those in the files that FILES names"
task test: :compile do
  next Rake::Task["test:files"].invoke unless ENV["FILES"].to_s.empty?

  run_parts.call(TestParts.all)
end

namespace :test do
  desc "Run the tests that changes break first: unit tests, and the client's suites under one scheduler and under threads"
  task(quick: :compile) { run_parts.call(TestParts.quick) }

  # What a run makes otherwise, and then keeps: the root of the newer Ruby takes minutes.
  task(prepare: :compile) do
    SanitizedExtension.new.build if SanitizedExtension.available?
    DebianSource::RAILS.folder unless ENV["RAILS"]
    Bundler.with_unbundled_env { NewerRuby.new.prepare } if NewerRuby.prepared.any?
  end

  desc "Run the tests, and on a newer Ruby those whose results may differ"
  task(all: :compile) { run_parts.call(TestParts.all, prepared: NewerRuby.prepared) }
end
