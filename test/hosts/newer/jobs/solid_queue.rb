# frozen_string_literal: true

# Solid Queue with one process, forked behind queries, that runs its jobs in fibers.
require_relative "application"
require "solid_queue"

Application.config.active_job.queue_adapter = :solid_queue
Application.initialize!
ActiveRecord::Schema.verbose = false
load Gem.loaded_specs["solid_queue"].full_gem_path + "/lib/generators/solid_queue/install/templates/db/queue_schema.rb"
ActiveRecord::Schema.define { create_table(:arrivals) { |table| table.integer(:answers, default: 0) } }

ActiveJob.perform_all_later(AT_ONCE.times.map { |number| MeetingJob.new(number) })
FailingJob.perform_later
supervisor = fork do
  SolidQueue::Supervisor.start(workers: [{ queues: "*", fibers: AT_ONCE + 1, polling_interval: 0.05 }], dispatchers: [], skip_recurring: true)
end
wait_beside(supervisor) { SolidQueue::Job.where(finished_at: nil).count == SolidQueue::FailedExecution.count }
print Arrival.order(:id).pluck(:id, :answers).inspect, " ", SolidQueue::FailedExecution.all.map(&:exception_class).inspect
