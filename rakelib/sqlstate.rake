# frozen_string_literal: true

require_relative "sqlstate_generator"

desc "Generate the error classes and their signatures from the error codes of the installed PostgreSQL"
task :sqlstate do
  list = File.read(File.join(`pg_config --sharedir`.chomp, "errcodes.txt"))
  version = `pg_config --version`[/\d+(\.\d+)*/]
  handwritten = %w[errors.rb errors/server_error.rb].flat_map do |file|
    File.read(File.join(__dir__, "../lib/trunkline", file)).scan(/^\s*class (\w+)/).flatten
  end
  generator = SqlstateGenerator.new(list, version: version, reserved: handwritten)
  File.write(File.join(__dir__, "../lib/trunkline/errors/sqlstate.rb"), generator.source)
  File.write(File.join(__dir__, "../sig/trunkline/sqlstate.rbs"), generator.signatures)
end
