# frozen_string_literal: true

require "test_helper"
require "support/children"
require "support/preloaded_resolver"
require "support/resolver"
require "support/schedulers/hosts"

module Trunkline
  module Socket
    class LookupTest < TestCase
      include Children
      include Resolver

      # A name that no other test asks for.
      def db = "#{name}.example"

      def addresses(deadline = nil) = Lookup.addresses(db, 5432, deadline)

      def test_the_resolvers_order
        found = resolving(db => ["10.0.0.2", "::1", "10.0.0.1"]) { addresses }

        assert_equal ["10.0.0.2", "::1", "10.0.0.1"], found.map(&:ip_address)
        assert_equal [5432], found.map(&:ip_port).uniq
      end

      def test_addresses_need_no_resolver
        resolving({}) do
          assert_equal %w[127.0.0.1 ::1], ["127.0.0.1", "::1"].map { |address| Lookup.addresses(address, 1, nil).first.ip_address }
        end
      end

      def test_names_without_an_address
        unknown = SocketError.new("getaddrinfo: Name or service not known")
        error = assert_raises(SocketError) { resolving(db => unknown) { addresses } }

        assert_equal unknown.message, error.message
        assert_equal [], resolving(db => []) { addresses }
      end

      def test_each_looks_up_anew
        assert_equal [["10.0.0.1"], ["10.0.0.2"]],
                     ["10.0.0.1", "10.0.0.2"].map { |address| resolving(db => [address]) { addresses.map(&:ip_address) } }
      end

      # It may end before a caller has noted that it runs.
      def test_one_that_was_not_forgotten_is_not_looked_up_again
        found = Lookup.stub(:forget, nil) do
          ["10.0.0.1", "10.0.0.2"].map { |address| resolving(db => [address]) { addresses.map(&:ip_address) } }
        end

        assert_equal [["10.0.0.1"], ["10.0.0.2"]], found
      end

      def test_a_wait_that_ends_early_is_taken_up_again
        hang = Thread::Queue.new
        wait = Readiness.method(:wait_readable)
        rounds = 0
        early = lambda do |*arguments|
          next true if (rounds += 1) < 4

          hang << ["10.0.0.1"]
          wait.call(*arguments)
        end
        found = resolving(db => hang) { Readiness.stub(:wait_readable, early) { addresses } }

        assert_equal ["10.0.0.1"], found.map(&:ip_address)
      end

      def test_a_caller_that_needs_what_is_being_looked_up_waits_for_that_answer
        hang = Thread::Queue.new
        resolving(db => hang) do
          first, second = Array.new(2) { Thread.new { addresses } }
          Thread.pass until [first, second].all?(&:stop?)
          hang << ["10.0.0.1"]

          assert_equal [["10.0.0.1"]] * 2, [first, second].map { |thread| thread.value.map(&:ip_address) }
        end
      end

      def test_a_resolver_that_hangs_costs_a_thread_and_no_descriptor
        hang = Thread::Queue.new
        resolving(db => hang) do
          addresses(Readiness.now)
          before = [Thread.list.size, descriptors]
          100.times { assert_nil addresses(Readiness.now) }
          before.zip([Thread.list.size, descriptors]) { |earlier, now| assert_operator now, :<=, earlier }
        end
      ensure
        hang << []
      end

      def test_a_child_of_a_fork_looks_up_for_itself
        hang = Thread::Queue.new
        resolving(db => hang) { addresses(Readiness.now) }

        assert_equal ["10.0.0.1"], in_child { resolving(db => ["10.0.0.1"]) { addresses.map(&:ip_address) } }
      ensure
        hang << []
      end

      # The C function itself hangs, with Ruby's own means to keep it from blocking the rest.
      def test_the_systems_resolver_blocks_no_caller
        output = PreloadedResolver.with do |environment, release|
          run_program(<<~RUBY, release, environment: environment).first
            require "async"
            def connect(port, timeout)
              Trunkline::Socket::TCP.connect("db.slow", port, Trunkline::Socket::Readiness.deadline(timeout)).close
              "connected"
            rescue Trunkline::ConnectionError => error
              error.message[/name .* time/]
            end
            server = TCPServer.new("127.0.0.1", 0)
            Sync do |task|
              waiting = task.async { connect(server.addr[1], 0.5) }
              puts task.async { "others go on" }.wait, waiting.wait
              patient = task.async { connect(server.addr[1], 20) }
              File.write(ARGV[0], "")
              puts patient.wait
            end
          RUBY
        end

        assert_equal "others go on\nname was not looked up in time\nconnected\n", output
      end

      private

      def descriptors = Dir.children("/dev/fd").size
    end

    # Looking up waits as the host waits.
    module LookingUpSideBySide
      include Resolver

      Cancelled = Class.new(StandardError)

      def db = "#{name}.#{self.class.name.delete("^A-Za-z")}"

      def test_others_continue_while_a_name_is_looked_up
        hang = Thread::Queue.new
        resolving(db => hang) do
          in_host do
            waiting = Array.new(3) { later { Lookup.addresses(db, 1, nil) } }
            assert_equal 1, later { 1 }.value
            hang << ["10.0.0.1"]
            assert_equal [["10.0.0.1"]] * 3, waiting.map { |caller| caller.value.map(&:ip_address) }
          end
        end
      end

      def test_a_cancelled_caller_leaves_the_others_their_answer
        hang = Thread::Queue.new
        resolving(db => hang) do
          in_host do
            cancelled, waiting = Array.new(2) { later { Lookup.addresses(db, 1, nil) } }
            later { nil }.value
            cancelled.cancel(Cancelled.new)
            assert_instance_of Cancelled, cancelled.error
            hang << ["10.0.0.1"]
            assert_equal 1, waiting.value.size
          end
        end
      end
    end

    class LookingUpInThreadsTest < TestCase
      include Hosts::Threads
      include LookingUpSideBySide
    end

    class LookingUpUnderAsyncTest < TestCase
      include Hosts::Async
      include LookingUpSideBySide
    end

    class LookingUpUnderReferenceSchedulerTest < TestCase
      include Hosts::Reference
      include LookingUpSideBySide
    end

    class LookingUpUnderHostileSchedulerTest < TestCase
      include Hosts::Hostile
      include LookingUpSideBySide

      def hostility = { seed: Minitest.seed, inline: true, spurious: 0.2, reorder: true }
    end
  end
end
