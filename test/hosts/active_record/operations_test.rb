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
      private_constant :USERS

      # Each user's requests go on through it. Those that begin while the server is away, or are under way when it goes, may fail; those that begin
      # when it is back do not. What was told to be stored is there once; what failed is there at most once.
      def test_a_restart_of_the_server_under_requests
        with_restarts do |restart|
          with_model_of("users_requests", "token") do |model|
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
            assert_outcome(model, outcomes, back)
          end
        end
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

      # @yieldparam restart [#call] stops the server, calls its block, and starts the server again
      def with_restarts
        with_server do |server|
          GateProxy.open(server) do |proxy|
            connect(host: proxy.host, port: proxy.port)
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

      def with_model_of(table, column)
        ours.execute("CREATE TABLE #{table} (id bigserial PRIMARY KEY, #{column} text)")
        yield(Class.new(Ours) { self.table_name = table })
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
        Ours.connection_pool.release_connection
      end

      # Takes outcomes until so many of a kind have come.
      def take(told, outcomes, count)
        while count.positive?
          outcomes << told.pop
          count -= 1 if yield(outcomes.last.first)
        end
      end

      def assert_outcome(model, outcomes, back)
        failed, answered = outcomes.partition { |outcome, _| outcome.is_a?(Exception) }
        assert_empty failed.select { |_, began| began > back }, "the server was back"
        assert_empty failed.map { |error, _| error.class }.uniq - [::ActiveRecord::ConnectionNotEstablished, ::ActiveRecord::ConnectionFailed, ::ActiveRecord::DatabaseConnectionError]
        stored = model.pluck(:token)
        assert_equal stored.uniq, stored
        assert_empty answered.map(&:last) - stored
      end

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
