# frozen_string_literal: true

require_relative "debian_root"

desc "Test against PostgreSQL 17 and 18, in Debian roots that are made on first use (as root; a minute each)"
task newer: :compile do
  abort DebianRoot.missing if DebianRoot.missing
  { "trixie" => 17, "forky" => 18 }.each do |release, version|
    DebianRoot.new(release, version).tap(&:make)
    ruby "-w", "-Ilib", "-Itest", "test/newer/servers.rb", release, version.to_s
  end
end
