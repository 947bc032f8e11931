# frozen_string_literal: true

# A Rails application of this file alone, whose jobs ask over ActiveRecord on the adapter here. DATABASE_URL names the
# server, and AT_ONCE says how many jobs meet.
ENV["CONSOLE_LEVEL"] = "fatal"
require "rails"
require "active_record/railtie"
require "active_job/railtie"
require "trunkline"

AT_ONCE = Integer(ENV.fetch("AT_ONCE"))

class Application < Rails::Application
  config.root = __dir__
  config.eager_load = false
  config.secret_key_base = "none"
  config.logger = ActiveSupport::Logger.new(IO::NULL)
  config.active_support.isolation_level = :fiber
end

# A job that has come.
class Arrival < ActiveRecord::Base
end

# Meets the others, and writes in a transaction that waits in it.
class MeetingJob < ActiveJob::Base
  LOCK = Mutex.new
  ALL = ConditionVariable.new
  @come = 0

  # Returns when all have come: they do not unless they run at once.
  def self.wait_for_all
    LOCK.synchronize do
      ALL.broadcast if (@come += 1) == AT_ONCE
      ALL.wait(LOCK) until @come == AT_ONCE
    end
  end

  def perform(number)
    Arrival.create!(id: number)
    MeetingJob.wait_for_all
    Arrival.transaction do
      2.times do
        Arrival.where(id: number).update_all("answers = answers + 1")
        Arrival.lease_connection.select_value("SELECT pg_sleep(0.01)")
      end
    end
  end
end

# Fails in a transaction, which its own connection is rolled back on.
class FailingJob < ActiveJob::Base
  def perform
    Arrival.transaction do
      Arrival.create!(id: -1)
      Arrival.find(-2)
    end
  end
end

# Waits until the block returns something.
# @raise [RuntimeError] with what there is, after ten minutes: at a load of 16 on two processors all took three
def wait_until
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 600
  until yield
    raise "arrived: #{Arrival.pluck(:id, :answers)}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

    sleep 0.02
  end
end

# Waits as {wait_until} while the process works, which is ended then: it would hold the output of this one open.
def wait_beside(process, &block)
  wait_until(&block)
ensure
  Process.kill(:TERM, process)
  Process.wait(process)
end
