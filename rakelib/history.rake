# frozen_string_literal: true

require_relative "histories"

desc "Check histories for so many minutes, in every world, each time with another seed"
task :history, [:minutes] => :compile do |_, arguments|
  Histories.new.check(minutes: Float(arguments[:minutes] || 5))
end

namespace :history do
  desc "Check the history of one world with the seed of a run that failed"
  task :replay, %i[world seed] => :compile do |_, arguments|
    Histories.new.check_one(arguments.world.to_sym, Integer(arguments.seed))
  end
end
