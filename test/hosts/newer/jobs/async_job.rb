# frozen_string_literal: true

# async-job, whose jobs run in the event loop that queues them.
require_relative "application"
require "async/job/adapter/active_job"

Application.config.active_job.queue_adapter = :async_job
Application.initialize!
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define { create_table(:arrivals) { |table| table.integer(:answers, default: 0) } }

Sync do
  FailingJob.perform_later
  MeetingJob.set(wait: 0.05.seconds).perform_later(0)
  (1...AT_ONCE).each { |number| MeetingJob.perform_later(number) }
  wait_until { Arrival.sum(:answers) == AT_ONCE * 2 }
end
print Arrival.order(:id).pluck(:id, :answers).inspect
