# frozen_string_literal: true

# Sidekiq with one process, forked behind queries, that has a thread for each job and one more, and a capsule of one thread. REDIS_URL names its Redis.
require_relative "application"
require "sidekiq"
require "sidekiq/api"

Sidekiq.default_configuration.logger.level = Logger::FATAL
Application.config.active_job.queue_adapter = :sidekiq
Application.config.active_support.isolation_level = :thread
Application.initialize!
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define { create_table(:arrivals) { |table| table.integer(:answers, default: 0) } }
Arrival.create!(id: AT_ONCE)

# A job of Sidekiq's own. Each reads what the one before it wrote.
class CountingJob
  include Sidekiq::Job
  sidekiq_options queue: "in_turn", retry: false

  def perform
    Arrival.transaction do
      count = Arrival.find(AT_ONCE).answers
      Arrival.lease_connection.select_value("SELECT pg_sleep(0.005)")
      Arrival.where(id: AT_ONCE).update_all(answers: count + 1)
    end
  end
end

AT_ONCE.times { CountingJob.perform_async }
ActiveJob.perform_all_later(AT_ONCE.times.map { |number| MeetingJob.new(number) })
FailingJob.perform_later
server = fork do
  require "sidekiq/cli"
  $stdout.reopen(IO::NULL)
  Sidekiq::CLI.instance.parse(["--concurrency", (AT_ONCE + 1).to_s, "--queue", "default", "--require", __FILE__])
  Sidekiq.default_configuration.capsule("in turn") do |capsule|
    capsule.concurrency = 1
    capsule.queues = %w[in_turn]
  end
  Sidekiq::CLI.instance.run(boot_app: false)
end
wait_beside(server) { Arrival.sum(:answers) == AT_ONCE * 3 && Sidekiq::RetrySet.new.size == 1 }
print Arrival.order(:id).pluck(:id, :answers).inspect, " ", Sidekiq::RetrySet.new.map { |job| job["error_class"] }.inspect
