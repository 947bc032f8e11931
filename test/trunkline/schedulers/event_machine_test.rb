# frozen_string_literal: true

require "test_helper"
require "socket"
require "timeout"
require "support/children"
require "support/interruptions"
require "support/schedulers/event_machine_host"

module Trunkline
  module Schedulers
    class EventMachineTest < TestCase
      include Hosts::EventMachine
      include Children
      include ::Interruptions

      # EventMachine's own timers and fibers that wait, side by side.
      def test_the_loop_continues_while_fibers_wait
        in_host do
          events = Thread::Queue.new
          EM.add_timer(0.01) { events.push(:timer) }
          EM.next_tick { events.push(:tick) }
          later { sleep(0.02) && events.push(:slept) }
          assert_equal %i[tick timer slept], Array.new(3) { events.pop }
        end
      end

      def test_a_reader_and_a_writer_of_one_socket
        in_host do
          here, there = ::Socket.pair(:UNIX, :STREAM)
          bytes = "x" * 1_000_000
          reader = later { here.read(5) }
          writer = later { here.write(bytes) }
          received = later { there.readpartial(100_000).tap { there.write("hello") } + there.read(bytes.bytesize - 100_000) }
          assert_equal ["hello", bytes.bytesize, bytes.bytesize], [reader.value, writer.value, received.value.bytesize]
        end
      end

      def test_readers_of_one_socket_that_give_up
        in_host do
          here, there = ::Socket.pair(:UNIX, :STREAM)
          impatient = Array.new(3) { later { here.wait_readable(0.001) } }
          patient = later { here.wait_readable(nil) && here.read_nonblock(2) }
          assert_equal [nil], impatient.map(&:value).uniq
          there.write("ok")
          assert_equal "ok", patient.value
        end
      end

      def test_numbers_that_are_used_again
        in_host do
          50.times do |number|
            here, there = ::Socket.pair(:UNIX, :STREAM)
            reader = later { here.read(1) }
            there.write("x")
            assert_equal "x", reader.value, number
            [here, there].each(&:close)
          end
        end
      end

      # What the watches are for: EventMachine gives up the process.
      def test_a_descriptor_watched_twice_ends_the_process
        twice = "require 'eventmachine'; r, = IO.pipe; EM.run { 2.times { EM.watch(r) }; EM.stop }"
        output, status = run_program(twice)
        refute_predicate status, :success?, output
        output, status = run_program(<<~RUBY)
          require "trunkline/schedulers/event_machine"
          Trunkline::Schedulers::EventMachine.run do
            reader, writer = IO.pipe
            2.times { Fiber.schedule { reader.wait_readable } }
            writer.write("x")
          end
        RUBY
        assert_predicate status, :success?, output
      end

      # No polling: the seconds are few because nothing happens in them.
      def test_an_idle_loop_uses_no_processor
        output, status = run_program(<<~RUBY)
          require "trunkline/schedulers/event_machine"
          Trunkline::Schedulers::EventMachine.run do
            reader, = IO.pipe
            used = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
            reader.wait_readable(1)
            print Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - used
          end
        RUBY
        assert_predicate status, :success?, output
        assert_operator Float(output), :<, 0.1
      end

      def test_waits_are_their_fibers_own
        in_host { WAITS.each { |kind| assert send(:"undisturbed_#{kind}?"), kind } }
      end

      def test_a_timeout
        in_host do
          assert_raises(Timeout::Error) { Timeout.timeout(0.01) { sleep } }
          [KeyError, KeyError.new].each do |error| # of older versions of Timeout, and of newer ones
            assert_equal "late", assert_raises(KeyError) { Fiber.scheduler.timeout_after(0.01, error, "late") { sleep } }.message
          end
          assert_equal :in_time, Timeout.timeout(10) { sleep(0.001) && :in_time }
          assert sleep(0.001)
        end
      end

      def test_a_condition_variable_and_a_mutex
        in_host do
          mutex, condition = Mutex.new, ConditionVariable.new
          woken = later { mutex.synchronize { condition.wait(mutex) && :woken } }
          later { mutex.synchronize { sleep(0.001) && condition.signal } }
          assert_equal :woken, woken.value
        end
      end

      def test_a_thread_wakes_a_fiber
        in_host do
          queue = Thread::Queue.new
          Thread.new { queue.push(:from_a_thread) }
          assert_equal :from_a_thread, queue.pop
        end
      end

      # EventMachine guards next_tick by a Mutex. A fiber that waited for it while it woke another could itself not be woken.
      def test_a_fiber_wakes_another_while_a_thread_is_within_next_tick
        in_host do
          mutex = EM.instance_variable_get(:@next_tick_mutex)
          queue = Thread::Queue.new
          sleeper = later { queue.pop }
          woken = false
          thread = Thread.new { mutex.synchronize { Thread.pass until woken } }
          Thread.pass until mutex.locked?
          queue.push(:up)
          woken = true
          assert_equal :up, sleeper.value
          thread.join
        end
      end

      # Its number is used again at once. Where Ruby does not say that it closes, the fiber that waited learns it by that.
      def test_an_io_that_is_closed_while_a_fiber_waits_for_it
        in_host do
          reader, = IO.pipe
          waiting = later { reader.wait_readable }
          number = reader.fileno
          reader.close
          again, writer = IO.pipe
          assert_equal number, again.fileno
          writer.write("x")
          assert again.wait_readable(10)
          assert_kind_of IOError, waiting.error
        end
      end

      # As some Rubies say it.
      def test_a_fiber_that_waits_is_told_that_it_will_be_closed
        in_host do
          reader, = IO.pipe
          waiting = later { reader.wait_readable }
          refute Fiber.scheduler.io_close(reader.fileno)
          assert_kind_of IOError, waiting.error
          reader.close
        end
      end

      def test_files_are_always_ready
        in_host { File.open(__FILE__) { |file| assert_same file, file.wait_readable(10) } }
      end

      # So do newer Rubies where a fiber closes what a thread still reads: the thread says that it has let go.
      def test_a_sleep_that_is_ended_in_the_name_of_its_own_thread
        in_host do
          scheduler, reactor, fiber = Fiber.scheduler, Thread.current, nil
          sleeper = later { (fiber = Fiber.current) && sleep && :woken }
          scheduler.unblock(Object.new, fiber)
          sleep(0.001)
          refute_predicate sleeper, :done?
          Thread.new { scheduler.unblock(reactor, fiber) }
          assert_equal :woken, sleeper.value
        end
      end

      def test_names_are_looked_up_beside_the_loop
        in_host { assert_includes Addrinfo.getaddrinfo("localhost", 1, nil, :STREAM).map(&:ip_port), 1 }
      end

      # No fiber waits for one that was only scheduled: its error is told, and the others go on.
      def test_an_error_in_a_fiber
        _, errors = capture_io do
          in_host do
            Fiber.schedule { raise KeyError, "broken" }
            assert sleep(0.001)
          end
        end
        assert_match(/terminated with exception.*broken/m, errors)
      end

      def test_the_end_of_run
        assert_equal :value, in_host { :value }
        assert_raises(KeyError) { in_host { raise KeyError } }
        unfinished = []
        in_host { Fiber.schedule { sleep(0.01) && unfinished.push(:finished) } }
        assert_equal [:finished], unfinished
        in_host { assert_match(/use install/, assert_raises(Error) { EventMachine.run { 1 } }.message) }
      end

      def test_it_is_installed_where_the_reactor_runs
        assert_match(/within EventMachine.run/, assert_raises(Error) { EventMachine.install }.message)
        in_host { assert_same Fiber.scheduler, EventMachine.install }
      end
    end
  end
end
