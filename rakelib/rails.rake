# frozen_string_literal: true

require_relative "ruby_root"

desc "Run the tests of ActiveRecord's adapter with Rails 8.0 and 8.1, or one version, on Ruby 3.3, in a Debian root made on first use (as root); FILES as for test"
task :rails, [:version] do |_, arguments|
  abort DebianRoot.missing if DebianRoot.missing
  root = RubyRoot.new("3.3").tap(&:make)
  files = ENV.fetch("FILES") { FileList["test/hosts/active_record/*_test.rb", "test/hosts/rails_test.rb"].join(" ") }
  command = "bundle config set --local path vendor/bundle && bundle install --quiet && exec bin/test \"$@\""
  (arguments.version ? [arguments.version] : %w[8.0.5.2 8.1.4.1]).each do |version|
    puts "Rails #{version}"
    Bundler.with_unbundled_env { system(*root.command, "RAILS_VERSION=#{version}", "sh", "-c", command, "sh", *files.split) } or
      abort "Rails #{version}: it failed"
  end
end
