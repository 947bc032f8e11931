# frozen_string_literal: true

desc "Write the reference of what users call to doc/, as HTML"
task :doc do
  require_relative "reference"

  reference = Reference.new
  warn(*reference.warnings, *reference.write)
  puts "doc/index.html"
end
