# frozen_string_literal: true

module Trunkline
  module Schedulers
    class EventMachine
      # The descriptors that fibers wait for. EventMachine ends the process when a descriptor is watched twice, or when its number is used again while
      # it is still watched. So all fibers that wait for a descriptor have one watch, which is removed with the last of them, before the descriptor
      # can be closed.
      class Watches # :nodoc:
        # EventMachine calls it when a descriptor is ready.
        class Watch < EM::Connection # :nodoc:
          def initialize(watches, descriptor)
            super
            @watches = watches
            @descriptor = descriptor
          end

          def notify_readable = @watches.notify(@descriptor, IO::READABLE | IO::PRIORITY)
          def notify_writable = @watches.notify(@descriptor, IO::WRITABLE)
        end

        # @param scheduler [EventMachine] notified of waits that are over
        def initialize(scheduler)
          @scheduler = scheduler
          @watches = {}
          @waits = {}
          @descriptors = {}.compare_by_identity
        end

        def add(io, wait)
          descriptor = io.fileno
          others = @waits[descriptor]
          close(descriptor) if others && !others.first.subject.equal?(io) && others.first.subject.closed?
          (@waits[descriptor] ||= []).push(wait)
          @descriptors[wait] = descriptor
          look_for(descriptor)
        end

        def remove(wait)
          descriptor = @descriptors.delete(wait) or return
          waits = @waits[descriptor]
          waits.delete(wait)
          waits.empty? ? stop_watching(descriptor) : look_for(descriptor)
        end

        # The descriptor is ready: resumes the fibers that wait for one of these events.
        def notify(descriptor, events)
          @waits.fetch(descriptor, []).each do |wait|
            @scheduler.ready(wait, wait.events & events) if (wait.events & events).positive?
          end
          quiet(descriptor)
        end

        def close(descriptor)
          waits = @waits[descriptor] or return
          stop_watching(descriptor)
          waits.each do |wait|
            @descriptors.delete(wait)
            wait.exception = IOError.new("stream closed in another fiber")
            @scheduler.ready(wait, nil)
          end
        end

        def forget
          @watches.each_value(&:detach) if EM.reactor_running?
          [@watches, @waits, @descriptors].each(&:clear)
        end

        private

        def look_for(descriptor)
          watch = @watches[descriptor] ||= EM.watch(descriptor, Watch, self, descriptor)
          events = @waits[descriptor].reduce(0) { |all, wait| all | wait.events }
          watch.notify_readable = (events & (IO::READABLE | IO::PRIORITY)).positive?
          watch.notify_writable = (events & IO::WRITABLE).positive?
        end

        # Each fiber is notified once: until the fibers have had their turn, the descriptor would stay ready.
        def quiet(descriptor)
          watch = @watches[descriptor]
          watch.notify_readable = watch.notify_writable = false
        end

        def stop_watching(descriptor)
          @watches.delete(descriptor).detach
          @waits.delete(descriptor)
        end
      end
      private_constant :Watches
    end
  end
end
