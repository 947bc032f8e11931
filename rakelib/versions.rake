# frozen_string_literal: true

require_relative "postgres_versions"

desc "Run the parts of the tests that need a server on PostgreSQL 12 to 18, or on those in VERSIONS; FILES names other parts"
task versions: :compile do
  abort PostgresVersions.missing if PostgresVersions.missing
  files = ENV["FILES"] || FileList["test/integration/*_test.rb", "test/scheduler/{async,threads}_test.rb", "test/hosts/sequel/*_test.rb",
                                   "test/hosts/active_record/*_test.rb", "test/cli/doctor_test.rb"].join(" ")
  failed = PostgresVersions.majors(ENV["VERSIONS"]).reject do |major|
    puts "PostgreSQL #{major}"
    environment = { "TRUNKLINE_POSTGRES" => PostgresVersions.new(major).fetch }
    files.split.map { |file| system(environment, RbConfig.ruby, "-w", "-Ilib", "-Itest", file) }.all?
  end
  abort "Failed on PostgreSQL #{failed.join(", ")}" if failed.any?
end
