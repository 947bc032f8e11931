# frozen_string_literal: true

require "yaml"
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

namespace :rubies do
  packages = %w[build-essential ca-certificates libpq-dev memcached openssl]
  rails = "8.1.4.1"
  command = <<~SH
    set -e
    bundle config set --local path vendor/bundle
    bundle check >/dev/null 2>&1 || bundle install --quiet
    exec bundle exec rake --quiet test:parts
  SH

  desc "Run the tests that may come out differently on a newer Ruby, on 3.3 with Rails #{rails}; where Ruby is that new, they have run"
  task :parts do
    next if RUBY_VERSION >= "3.3"
    abort "Ruby 3.3 is left to be tested: #{DebianRoot.missing}" if DebianRoot.missing

    root = RubyRoot.new("3.3").tap { |made| made.make(*packages) }
    files = YAML.load_file(File.expand_path("rubies.yml", __dir__)).keys.flat_map { |pattern| FileList[pattern].to_a }
    puts "Ruby 3.3 with Rails #{rails}, in what may differ there"
    environment = { "RAILS_VERSION" => rails, "FILES" => files.join(" "), "BUNDLE_SILENCE_ROOT_WARNING" => "1",
                    "TRUNKLINE_SERVER_TEMPLATE" => nil }
    Bundler.with_unbundled_env { system(environment, *root.command, "sh", "-c", command) } or abort "Ruby 3.3: it failed"
  end
end
