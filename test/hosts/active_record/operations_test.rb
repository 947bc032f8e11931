# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "support/gate_proxy"

module Hosts
  module ActiveRecord
    # What happens to an application in operation: its server is started again, processes are forked, and the pool of
    # database.yml is too small.
    class OperationsTest < Trunkline::TestCase
      include Trunkline::ActiveRecordHost

      USERS = 6
      # What a request gets whose server is away, or goes.
      LOST = [::ActiveRecord::ConnectionNotEstablished, ::ActiveRecord::ConnectionFailed, ::ActiveRecord::DatabaseConnectionError].freeze
      private_constant :USERS, :LOST

      # Each user's requests go on through it. Those that begin while the server is away, or are under way when it goes, may fail; those that begin
      # when it is back do not. What was told to be stored is there once; what failed is there at most once.
      def test_a_restart_of_the_server_under_requests
        restarted_under_requests(Ours, "trunkline") { |outcomes, back| assert_empty(failed(outcomes).select { |_, began| began > back }, "the server was back") }
      end

      # The classes of the errors, and what is stored, are the same. What begins when the server is back may fail there.
      def test_a_restart_of_the_server_under_requests_with_the_stock_adapter
        restarted_under_requests(Stock, "postgresql") { nil }
      end

      # An initializer that asks, and servers that fork afterwards: what the parent has open stays the parent's.
      def test_a_fork_after_the_first_query
        with_model("name text") do |model|
          model.create!(name: "parent")
          model.transaction do
            model.create!(name: "open") # by a connection of the transaction's own
            assert_equal 2, in_child { model.create!(name: "child") && model.count }
          end
          assert_equal %w[child open parent], model.order(:name).pluck(:name)
        end
      end

      # As Spring does: the application gives its connections up before each fork, and both have new ones afterwards.
      def test_a_fork_with_connections_given_up_before_and_made_anew
        with_model("name text") do |model|
          model.create!(name: "parent")
          2.times do |number|
            Ours.remove_connection
            assert_equal number + 2, in_child { connect && model.create!(name: "child #{number}") && model.count }
            connect
          end
          assert_equal ["child 0", "child 1", "parent"], model.order(:name).pluck(:name)
        end
      end

      # ActiveRecord's reaper takes back what threads have left that ended: an open transaction, its lock, and a setting. What is idle is closed.
      def test_the_reaper_takes_back_what_ended_threads_have_left
        [[Ours, "trunkline"], [Stock, "postgresql"]].each do |base, adapter|
          with_table("id serial PRIMARY KEY, name text") do |table|
            base.establish_connection(adapter: adapter, application_name: "#{@application} #{adapter}", **access, reaping_frequency: 0.05, idle_timeout: 0.05)
            Array.new(3) { |number| Thread.new { leave_a_transaction(base.lease_connection, table, number) } }.each(&:join)
            assert eventually { base.connection_pool.stat[:dead].zero? }, adapter
            assert eventually { psql("SELECT count(*) FROM pg_locks WHERE relation = '#{table}'::regclass AND mode = 'RowExclusiveLock'") == ["0"] }, adapter
            assert_equal [0, "4MB"], base.with_connection { |connection| connection.select_rows("SELECT count(*), current_setting('work_mem') FROM #{table}").first }, adapter
            assert eventually { sessions("#{@application} #{adapter}").empty? }, adapter
            assert_equal 1, base.with_connection { |connection| connection.select_value("SELECT 1") }, adapter
          end
        end
      end

      def test_a_pool_below_the_number_of_threads_says_what_to_write
        connect(pool: 1, checkout_timeout: 0.05)
        ours.select_value("SELECT 1")
        error = assert_raises(::ActiveRecord::ConnectionTimeoutError) { Thread.new { ours }.tap { |thread| thread.report_on_exception = false }.value }
        assert_match(/pool is 1 in database.yml.*for instance pool: 1000/m, error.message)
        assert_same Ours.connection_pool, error.connection_pool
        connect_stock(pool: 1, checkout_timeout: 0.05)
        stock.select_value("SELECT 1")
        error = assert_raises(::ActiveRecord::ConnectionTimeoutError) { Thread.new { stock }.tap { |thread| thread.report_on_exception = false }.value }
        refute_match(/database.yml/, error.message)
      end

      private

      def leave_a_transaction(connection, table, number)
        connection.execute("SET work_mem = '7MB'")
        connection.begin_transaction
        connection.execute("INSERT INTO #{table} (name) VALUES ('left #{number}')")
      end

      # @yieldparam outcomes [Array<Array>] see {#request}
      # @yieldparam back [Float] when the server took connections again
      def restarted_under_requests(base, adapter)
        with_restarts(base, adapter) do |restart|
          with_model_of(base, "users_requests", "token") do |model|
            told = Queue.new
            outcomes = []
            over = false
            users = Array.new(USERS) { |user| Thread.new { told << request(model, user) until over } }
            take(told, outcomes, USERS * 3) { |outcome| outcome == :answered }
            restart.call { take(told, outcomes, USERS * 2) { |outcome| outcome != :answered } }
            back = now
            take(told, outcomes, USERS * 3) { |outcome| outcome == :answered }
            over = true
            users.each(&:join)
            outcomes << told.pop until told.empty?
            assert_outcome(model, outcomes)
            yield outcomes, back
          end
        end
      end

      # @yieldparam restart [#call] stops the server, calls its block, and starts the server again
      def with_restarts(base, adapter)
        with_server do |server|
          GateProxy.open(server) do |proxy|
            base.establish_connection(adapter: adapter, **access, host: proxy.host, port: proxy.port, checkout_timeout: 60)
            yield(lambda do |&meanwhile|
              proxy.refuse
              server.stop
              meanwhile.call
              server.start
              proxy.refuse(false)
            end)
          end
        end
      end

      def with_model_of(base, table, column)
        base.lease_connection.execute("CREATE TABLE #{table} (id bigserial PRIMARY KEY, #{column} text)")
        yield(Class.new(base) { self.table_name = table })
      end

      # A read, and a write in a transaction.
      #
      # @return [Array] :answered or the error, when it began, and what it wrote
      def request(model, user)
        began = now
        token = "#{user}-#{began}"
        model.first
        model.transaction { model.create!(token: token) }
        [:answered, began, token]
      rescue ::ActiveRecord::ActiveRecordError => error
        [error, began, token]
      ensure
        model.connection_pool.release_connection
      end

      # Takes outcomes until so many of a kind have come.
      def take(told, outcomes, count)
        while count.positive?
          outcomes << told.pop
          count -= 1 if yield(outcomes.last.first)
        end
      end

      def assert_outcome(model, outcomes)
        assert_empty failed(outcomes).map { |error, _| error.class }.uniq - LOST
        stored = model.pluck(:token)
        assert_equal stored.uniq, stored
        assert_empty((outcomes - failed(outcomes)).map(&:last) - stored)
      end

      def failed(outcomes) = outcomes.select { |outcome, _| outcome.is_a?(Exception) }

      # @return [Object] the block's, by a process that is forked
      def in_child
        reader, writer = IO.pipe
        pid = fork do
          writer.write(Marshal.dump(yield))
          writer.close
          exit!(true)
        rescue Exception => error # rubocop:disable Lint/RescueException
          warn(error.full_message)
          exit!(false)
        end
        writer.close
        answer = reader.read
        assert_predicate Process.wait2(pid).last, :success?
        Marshal.load(answer)
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
