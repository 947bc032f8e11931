# frozen_string_literal: true

desc "Write the reference of the public API to doc/, as HTML"
task :doc do
  require_relative "reference"

  reference = Reference.new
  warn(*reference.warnings, *reference.write)
  puts "doc/index.html"
end
