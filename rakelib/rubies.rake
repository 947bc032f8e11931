# frozen_string_literal: true

require_relative "newer_ruby"
require_relative "ruby_root"
require_relative "test_run"

desc "Run bin/test with Ruby 3.3 and 3.4, or one of them, in a Debian root that is made on first use (as root); FILES as for test"
task :rubies, [:version] do |_, arguments|
  abort DebianRoot.missing if DebianRoot.missing
  (arguments.version ? [arguments.version] : RubyRoot::VERSIONS).each do |version|
    root = RubyRoot.new(version).tap(&:make)
    puts "Ruby #{version}"
    Bundler.with_unbundled_env { system(*root.command, "bin/test", *ENV["FILES"].to_s.split) } or abort "Ruby #{version}: it failed"
  end
end

namespace :rubies do
  desc "Run the tests whose results may differ on a newer Ruby, as bin/test does"
  task(:parts) { TestRun.new([], prepared: NewerRuby.prepared).run or abort "Some tests have failed: their output stands above." }

  task(:prepare) { Bundler.with_unbundled_env { NewerRuby.new.tap(&:prepare).make_template } }
end
