# frozen_string_literal: true

require "test_helper"
require "support/rails_serving"

# What is done with an application in operation, on this library's adapter and on the stock one: migrations while it serves requests, several databases and shards, tests in
# threads, and processes that are forked after an initializer has used the database.
class RailsOperationsTest < Trunkline::TestCase
  include Trunkline::RailsServing

  USERS = 5
  PAUSE = 0.02 # seconds between a user's requests, which leaves the processors to the migrations
  ADAPTERS = %w[trunkline postgresql].freeze
  # What a transaction is told that meets a table which has changed since its statement was prepared, with its causes.
  OUTDATED = %w[ActiveRecord::PreparedStatementCacheExpired ActiveRecord::StatementInvalid PG::FeatureNotSupported].freeze
  private_constant :USERS, :PAUSE, :ADAPTERS, :OUTDATED

  # All that reads outside of a transaction is answered. A transaction may meet the change, as on the stock adapter; when the migrations are through, none does.
  def test_migrations_under_requests
    ADAPTERS.each do |adapter|
      with_application(adapter, "moving") do |env|
        serving(:puma, options: %w[-t 5:5], **env) do |server|
          outcomes = requested_meanwhile(server) do
            @application.add("columns")
            @application.rails("db:migrate", "db:rollback", **env)
          end
          assert_empty(outcomes.reject { |path, code| code == (path == :post ? "201" : "200") || (path == :post && code == "500") }, adapter)
          assert_empty server.log.scan(/\b(?:ActiveRecord|PG)::[A-Z]\w+/).uniq - OUTDATED, server.log
        end
      end
    end
  end

  def test_several_databases_and_shards
    found = ADAPTERS.map do |adapter|
      with_application(adapter, "several", "several") { |env| @application.rails("runner", "write_everywhere.rb", **env)[/^found (.*)/, 1] }
    end
    assert_equal ['[["",90,0],["_two",90,0],["_archive",200,0]]'] * 2, found
  end

  def test_tests_in_threads
    ADAPTERS.each do |adapter|
      @application = Trunkline::RailsApplication.new("threads")
      output = @application.rails("db:create", "db:migrate", "test", "ADAPTER" => adapter, "DATABASE" => "threads_#{adapter}", "RAILS_ENV" => "test", "WITH" => "threads",
                                                                        "WORKERS" => "4", "TEST" => "test/models/threads_test.rb")
      assert_match(/in parallel using 4 threads/, output)
      assert_match(/^12 runs, 24 assertions, 0 failures, 0 errors, 0 skips$/, output)
    end
  end

  # What the initializer has left stays with the process that the others are forked from: its lock, and its transaction.
  def test_an_initializer_that_uses_the_database_before_the_processes_are_forked
    ADAPTERS.each do |adapter|
      with_application(adapter, "early") do |env|
        @application.add("early")
        serving(:puma, options: %w[-w 2 -t 5:5 --preload], **env) do |server|
          assert_many(server)
          assert_equal ["idle in transaction"], psql("SELECT state FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objid = 11"), adapter
          refute_includes ask(server, "/rooms"), "of the initializer"
        end
      end
    end
  end

  private

  # @param parts [Array<String>] of test/hosts/rails_parts
  # @yieldparam env [Hash{String => String}] of an application whose databases are there and migrated
  def with_application(adapter, name, *parts)
    @application = Trunkline::RailsApplication.new(*parts)
    env = { "ADAPTER" => adapter, "DATABASE" => "#{name}_#{adapter}", "RAILS_ENV" => "production" }
    @application.rails("db:create", "db:migrate", **env)
    yield env
  end

  # @return [Array<Array(Symbol, String)>] what users have requested before the block, meanwhile and after it, and the status of each answer
  def requested_meanwhile(server)
    room = post(server, "/rooms", { name: "busy" })["id"]
    told = Thread::Queue.new
    over = false
    users = Array.new(USERS) { Thread.new { request(server, room, told) until over } }
    outcomes = Array.new(USERS * 9) { told.pop }
    yield
    outcomes << told.pop until told.empty?
    later = Array.new(USERS * 9) { told.pop }
    over = true
    users.each(&:join)
    assert_empty later.drop(USERS * 6).map(&:last) - %w[200 201], "some time after the block" # each connection of the application may meet the change once
    outcomes + later
  end

  def request(server, room, told)
    sleep PAUSE
    told << [:rooms, server.get("/rooms").code] << [:room, server.get("/rooms/#{room}").code]
    told << [:post, server.post("/rooms/#{room}/messages", JSON.generate({ body: "again" })).code]
  end
end
