# frozen_string_literal: true

desc "Write the site of guides, results and reference to tmp/site; it needs no server"
task :site do
  require_relative "site"

  puts Site.new.write
end
