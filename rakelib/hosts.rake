# frozen_string_literal: true

require_relative "debian_source"

namespace :hosts do
  run = lambda do |file, name, folder|
    abort "Say where it is: rake hosts:#{file}[/path/of/#{name.downcase}]" unless folder && File.directory?(folder)
    sh({ name => File.expand_path(folder) }, RbConfig.ruby, "-Ilib", "-Itest", "test/hosts/others/#{file}.rb")
  end

  desc "Run Rails' own tests of :mem_cache_store on :trunkline_store; takes the folder of Rails' source, or fetches Debian trixie's"
  task(:rails_cache_store, [:folder] => :compile) do |_, arguments|
    run.call("rails_cache_store", "RAILS", arguments.folder || DebianSource::RAILS.folder)
  end

  activerecord = ->(folder) { run.call("activerecord", "RAILS", folder || DebianSource::RAILS.folder) }

  desc "Run ActiveRecord's own tests on its adapter here; takes the folder of Rails' source, or fetches Debian trixie's"
  task(:activerecord, [:folder] => :compile) { |_, arguments| activerecord.call(arguments.folder) }

  namespace :activerecord do
    desc "The same, on the stock adapter, too, and save which tests fail on which; takes the folder as well"
    task(:compare, [:folder] => :compile) do |_, arguments|
      ENV["ARCONN"] = "trunkline,postgresql"
      activerecord.call(arguments.folder)
    end
  end

  desc "Run Sequel's own tests of its adapters on this client; takes the folder of its source"
  task(:sequel, [:folder] => :compile) { |_, arguments| run.call("sequel", "SEQUEL", arguments.folder) }

  desc "Run pg's own specs with Trunkline::PG under its name; takes the folder of its source, and needs RSpec"
  task(:pg, [:folder] => :compile) { |_, arguments| run.call("pg", "PG", arguments.folder) }

  desc "Run graphql-ruby's own specs of dataloaders and ActiveRecord on the stock adapter and this one; takes the folder of its source"
  task(:graphql, [:folder] => :compile) { |_, arguments| run.call("graphql", "GRAPHQL", arguments.folder) }

  desc "Run the tests of a gem that uses ActiveRecord or Sequel on the stock adapter and on both ways to this one; takes its name and the folder of its source"
  task(:gem, %i[name folder] => :compile) do |_, arguments|
    abort "Say which: rake hosts:gem[ancestry,/path/of/ancestry]" unless arguments.name && arguments.folder && File.directory?(arguments.folder)
    sh({ "NAME" => arguments.name, "FOLDER" => File.expand_path(arguments.folder) }, RbConfig.ruby, "-Ilib", "-Itest", "test/hosts/others/gems.rb")
  end

  desc "Run the tests of a whole application on the stock adapter and on both ways to this one; takes its name and the folder of its checkout"
  task(:application, %i[name folder] => :compile) do |_, arguments|
    abort "Say which: rake hosts:application[redmine,/path/of/redmine]" unless arguments.name && arguments.folder && File.directory?(arguments.folder)
    require_relative "host_application"
    HostApplication.new(arguments.name, File.expand_path(arguments.folder)).run or abort "#{arguments.name}: it differs, or could not be run: the reason stands above"
  end

  desc "Compare what libraries that watch statements report of a small Rails application on the stock adapter and on both ways to this one; takes a name of instrumentation/gems.yml"
  task(:instrumentation, [:name] => :compile) do |_, arguments|
    sh({ "NAMES" => arguments.name.to_s }, RbConfig.ruby, "-Ilib", "-Itest", "test/hosts/others/instrumentation.rb")
  end

  desc "Run commands of a small Rails application in Spring's forks, on the stock adapter and on both ways to this one"
  task(spring: :compile) { sh(RbConfig.ruby, "-Ilib", "-Itest", "test/hosts/others/spring.rb") }

  desc "Run Dalli's own integration tests with this client under its name; takes the folder of Dalli's source, or fetches Debian forky's"
  task(:dalli, [:folder] => :compile) { |_, arguments| run.call("dalli", "DALLI", arguments.folder || DebianSource::DALLI.folder) }
end
