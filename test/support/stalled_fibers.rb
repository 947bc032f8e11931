# frozen_string_literal: true

require "support/living_thread"
require "support/simulated_trunk"
require "support/schedulers/dropping"
require "support/stopped_clock"

module Trunkline
  module Postgres
    # Fibers of another thread, which use a simulated connection, and whose event loop runs them when the test says so.
    module StalledFibers
      include LivingThread
      include SimulatedTrunk
      include StoppedClock

      # Seconds after which it ends where nothing is lost by that, and else.
      SOON = 1
      AT_LAST = 30

      def setup
        super
        @requests = []
        @fibers = []
      end

      private

      def request(number, *parameters) = Request.query(statement("SELECT #{number}"), parameters)
      def rows = @requests.map { |asked| asked.rows.to_a }
      def answer_to(number) = first_answer({ "t" => QueryMessages::TEXT }, ["answer #{number}"])
      def reply(number) = @there << answer_to(number)
      def notice = BackendMessages.error("N", S: "NOTICE", V: "NOTICE", C: "00000", M: "something")

      # Fibers of a thread whose event loop goes on with them when the test says so.
      def in_flight(count, *parameters)
        resuming(count) { |number| ask(number, *parameters) { |request| yield request if block_given? } }
      end

      # One of them reads both answers and ends.
      def answer_two(&pin)
        in_flight(2, &pin)
        [1, 2].each { |number| reply(number) }
        go_on(0)
        assert_equal [[false, true], 1], [@fibers.map(&:alive?), @trunk.active]
      end

      def resuming(count = 1)
        ready = Thread::Queue.new
        @thread = Thread.new do
          Dropping.run do
            count.times { |number| Fiber.schedule { (@fibers << Fiber.current) && yield(number) } }
            ready << true
            while (work = @finish.pop) do ready << work.call end
          end
        end
        @asked = ready
        ready.pop
      end

      # It is active, and has nothing in flight.
      def keep(times) = resuming { active_for(times) }

      def active_for(times)
        @trunk.state.enter(waiter = Waiter.new)
        times.times do
          @trunk.state.wakes_by(Clock.now + 1)
          Fiber.yield
        end
        @trunk.leave_unused(waiter)
      end

      def ask(number, *parameters)
        @requests << request(number + 1, *parameters).tap { |request| yield request }
        @trunk.perform(@requests.last)
      end

      # Their thread resumes one of the fibers, or all.
      def go_on(number = nil)
        @finish << -> { (number ? [@fibers[number]] : @fibers).each { |fiber| fiber.resume if fiber.alive? } }
        @asked.pop
      end

      # @return [Integer] bytes
      def heard(socket)
        socket.read_nonblock(1 << 21).bytesize
      rescue IO::WaitReadable
        0
      end
    end
  end
end
