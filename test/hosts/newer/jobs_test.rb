# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "securerandom"
require "support/database_helpers"
require "support/redis_server"

# Queues of jobs that run them in fibers, and Sidekiq, over ActiveRecord on the adapter here. All jobs have to run at once to end at all, and share a few connections.
class JobsTest < Trunkline::TestCase
  include DatabaseHelpers

  LIBRARY = File.expand_path("../../../lib", __dir__)
  PROGRAMS = File.expand_path("jobs", __dir__)
  AT_ONCE = 20
  MOST = 8 # connections of a process
  ARRIVALS = Array.new(AT_ONCE) { |number| [number, 2] }.inspect
  private_constant :LIBRARY, :PROGRAMS, :AT_ONCE, :MOST, :ARRIVALS

  def test_solid_queue_with_fibers = assert_equal("#{ARRIVALS} [\"ActiveRecord::RecordNotFound\"]", printed("solid_queue"))
  def test_async_job = assert_equal(ARRIVALS, printed("async_job"))

  # Its threads, a capsule with one thread, and a job that fails.
  def test_sidekiq
    counted = [*Array.new(AT_ONCE) { |number| [number, 2] }, [AT_ONCE, AT_ONCE]].inspect
    Trunkline::RedisServer.open { |url| assert_equal("#{counted} [\"ActiveRecord::RecordNotFound\"]", printed("sidekiq", "REDIS_URL" => url)) }
  end

  private

  def printed(program, environment = {})
    database = "jobs_#{SecureRandom.hex(6)}"
    psql("CREATE DATABASE #{database}")
    options = "pool=100&server_connections=4&max_server_connections=#{MOST}&checkout_timeout=60"
    url = "#{postgres_server.tcp_uri(dbname: database).sub(/\A\w+:/, "trunkline:")}?#{options}"
    environment = { "DATABASE_URL" => url, "RAILS_ENV" => "production", "AT_ONCE" => AT_ONCE.to_s, **environment }
    output, status = Open3.capture2e(environment, RbConfig.ruby, "-W0", "-I#{LIBRARY}", "-rbundler/setup", "#{PROGRAMS}/#{program}.rb")
    status.success? ? output : flunk(output)
  ensure
    psql("DROP DATABASE IF EXISTS #{database} WITH (FORCE)")
  end
end
