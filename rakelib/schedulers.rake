# frozen_string_literal: true

require_relative "debian_root"
require_relative "ruby_root"

desc "Run programs, and random tasks, under schedulers from gems, here or on Ruby 3.3 or 3.4 in a Debian root (as root), and list what works under which"
task :schedulers, %i[version seconds seed] do |_, arguments|
  if arguments[:version] && !RUBY_VERSION.start_with?(arguments[:version])
    abort DebianRoot.missing if DebianRoot.missing
    root = RubyRoot.new(arguments[:version])
    root.make
    inside = "bin/setup && exec bundle exec rake \"schedulers[#{arguments.to_a.join(",")}]\""
    Bundler.with_unbundled_env { system(*root.command, "sh", "-c", inside) } or abort "Ruby #{arguments[:version]}: it failed"
  else
    Rake::Task[:compile].invoke
    $LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
    require_relative "../bench/support/servers/postgres_server"
    require_relative "scheduler_trials"

    seed = Integer(arguments[:seed] || (Random.new_seed % 1_000_000))
    puts "Ruby #{RUBY_VERSION}, seed #{seed}"
    SchedulerTrials.new(Trunkline::Bench::PostgresServer.start.uri, seed: seed, seconds: Float(arguments[:seconds] || 5)).run.each do |scheduler, programs|
      puts scheduler, programs.map { |program, outcome| "  #{program}: #{outcome}" }
    end
  end
end
