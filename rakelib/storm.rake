# frozen_string_literal: true

require_relative "storm"

desc "Cancel so many short queries on busy connections, and count who else was hit"
task :storm, [:cancels] => :compile do |_, arguments|
  counts = Storm.new.run(Integer(arguments[:cancels] || 600))
  puts counts
  abort "somebody else was hit" if counts[:hit].positive?
end
