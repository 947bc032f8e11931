# frozen_string_literal: true

require_relative "histories"

desc "Check histories for so many minutes, in every host, each time with another seed"
task :history, [:minutes] => :compile do |_, arguments|
  Histories.new.check(minutes: Float(arguments[:minutes] || 5))
end

namespace :history do
  desc "Check the history of one environment with the seed of a run that failed"
  task :replay, %i[environment seed] => :compile do |_, arguments|
    Histories.new.check_one(arguments.environment.to_sym, Integer(arguments.seed))
  end
end
