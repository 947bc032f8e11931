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

namespace :rails do
  desc "Run ActiveRecord's own tests of a source of Rails 8.0 or 8.1 on Ruby 3.3, on both adapters, as hosts:activerecord:compare does; takes its folder"
  task :activerecord, [:folder] do |_, arguments|
    folder = File.expand_path(arguments.folder || abort("Say where it is: rake rails:activerecord[/path/of/rails]"))
    version = File.read(File.join(folder, "RAILS_VERSION")).strip
    root = RubyRoot.new("3.3").tap { |newer| newer.make("tzdata-legacy") } # its tests use EST
    command = "bundle config set --local path vendor/bundle && bundle install --quiet && bundle exec rake compile && exec bundle exec ruby -Ilib -Itest test/hosts/others/activerecord.rb"
    settings = { "RAILS_VERSION" => version, "RAILS" => folder, "ARCONN" => "trunkline,postgresql", **ENV.slice("FILES", "SEED", "JOBS", "BATCH") }
    passed = Bundler.with_unbundled_env { system(*root.command(shared: [folder]), *settings.map { |name, value| "#{name}=#{value}" }, "sh", "-c", command) }
    require_relative "../test/hosts/others/activerecord/page"
    page = File.join("test/hosts/others/activerecord", ActiveRecordPage.name(version))
    FileUtils.cp(File.join(root.path, root.folder, page), page)
    abort "Rails #{version}: it failed" unless passed
  end
end
