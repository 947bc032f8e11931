# frozen_string_literal: true

require_relative "debian_root"

desc "Run the parts of the tests that use PgBouncer with Debian 13's, which is 1.24, in a root that is made on first use (as root); FILES names other parts"
task pgbouncer: :compile do
  abort DebianRoot.missing if DebianRoot.missing
  root = DebianRoot.new("trixie", 17).tap(&:make)
  root.install("pgbouncer")
  environment = { "TRUNKLINE_PGBOUNCER" => root.script_outside("usr/sbin/pgbouncer") }
  files = ENV["FILES"]&.split || FileList["test/**/*_test.rb"].select { |file| File.read(file).include?('require "support/pgbouncer"') }
  failed = files.reject { |file| system(environment, RbConfig.ruby, "-w", "-Ilib", "-Itest", file) }
  abort "Failed: #{failed.join(", ")}" if failed.any?
end
