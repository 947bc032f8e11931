# frozen_string_literal: true

require_relative "ruby_root"

desc "Run bin/test with Ruby 3.3 and 3.4, or one of them, in a Debian root that is made on first use (as root); FILES as for test"
task :rubies, [:version] do |_, arguments|
  abort DebianRoot.missing if DebianRoot.missing
  (arguments.version ? [arguments.version] : RubyRoot::VERSIONS).each do |version|
    root = RubyRoot.new(version).tap(&:make)
    puts "Ruby #{version}"
    Bundler.with_unbundled_env { system(*root.command, "bin/test", *ENV["FILES"].to_s.split) } or abort "Ruby #{version}: it failed"
  end
end
