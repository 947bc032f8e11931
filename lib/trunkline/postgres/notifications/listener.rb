# frozen_string_literal: true

require_relative "../../trunk/turn"
require_relative "../statements/escaping"
require_relative "subscription"
require_relative "subscription_queue"

module Trunkline
  module Postgres
    # The one connection of a client that listens, for all of its subscriptions. It has no fiber or thread of its own: of the callers that wait for
    # notifications, one reads for all. It is opened for the first subscription, and closed after the last one.
    #
    # A subscription is suspended if the fibers that wait on it were dropped by their event loop: it does not keep the connection then. If one of them
    # runs on after all, it listens again, with a gap.
    class Listener # :nodoc:
      include Escaping

      # Names the holder of the connection, for errors of callers that wait for one in vain.
      HOLDER = "listen"
      private_constant :HOLDER

      # @param sessions [Sessions] provide the connection
      # @param responses [ResponseReader]
      def initialize(sessions, responses)
        @sessions = sessions
        @responses = responses
        @limits = responses.limits
        begin_anew
      end

      # @param channels [Array<String>]
      # @return [SubscriptionQueue] of a new subscription
      def queue(channels) = SubscriptionQueue.new(channels, @limits.max_notifications)

      # @param subscription [Subscription] new, not listening yet
      # @return [Subscription] listening
      # @raise [Overloaded] max_subscriptions are open
      # @raise [Error] the server refused, or no connection could be opened
      def subscribe(subscription)
        renew_after_fork
        Waiting.without_interrupts do
          added?(subscription.queue) || make_room(subscription.queue)
          begin
            sync_channels(nil)
            listening = subscription
          ensure
            remove(subscription.queue) unless listening
          end
        end
      end

      # @param queue [SubscriptionQueue] of one that is closed
      def remove(queue)
        @lock.synchronize { @queues = listening_ones - [queue] }
        queue.wake
        sync_channels(nil) if connected?
      rescue Error
        nil # without a connection it does not listen either
      end

      # As the user of its connection: callers that wait for one may take it when all subscriptions were dropped.
      # Each of them is checked, as an absence counts from check to check. Those whose callers were dropped are suspended: they would keep others that
      # the same event loop has dropped from being collected.
      def alive? = !@queues.map { |queue| queue.abandoned? && queue.suspend }.all?

      # @return [true] no caller that was dropped takes the connection from the others
      def shared? = true

      # Waits until the queue has a notification, or the deadline has passed.
      def wait(queue, by)
        renew_after_fork
        return reconnect(queue, by) unless connected? && !queue.suspended?

        waiter = Request.companion.pin
        trunk = @trunk
        queue.with_waiter(waiter) { trunk.reader.attend(waiter, by, queue.attendance) { deliver(trunk) || !queue.idle? } }
        Waiting.give_turn(waiter.scheduler)
        raise Deadline.new("the deadline has passed before a notification came", server: trunk.server) if waiter.deadline_passed?
      end

      private

      def begin_anew
        @generation = Trunkline.process_generation
        @lock = Lock.new
        @turn = Turn.new
        @queues = []
        @settled = []
        @listening = []
        @trunk = nil
      end

      # The connection is the parent's. Each subscription that the child has inherited listens again when a caller waits on it.
      def renew_after_fork
        return if @generation == Trunkline.process_generation

        @queues.each(&:suspend)
        begin_anew
      end

      # False: there are as many subscriptions as may be.
      def added?(queue)
        @lock.synchronize do
          open = listening_ones
          @queues = [*open, queue] if open.size < @limits.max_subscriptions
        end
      end

      # Subscriptions that the program has dropped do not count once they are collected.
      def make_room(queue)
        GC.start
        return if added?(queue)

        raise Overloaded.new("#{@limits.max_subscriptions} subscriptions are open already (max_subscriptions): close those that are not needed", server: @sessions.server)
      end

      # Excludes dropped ones, and suspends those whose callers were dropped. The lock is held.
      def listening_ones = @queues.reject { |queue| queue.abandoned? && queue.suspend }

      def connected? = !(@trunk.nil? || @trunk.inherited? || @trunk.loss)

      # Makes the server listen to exactly the channels of the subscriptions, including those that begin or end meanwhile, whose callers may not wait
      # for their own turn.
      #
      # @return [true, nil] nil: the deadline has passed first
      def sync_channels(by)
        begin
          synced = @turn.take(by) { |holder| sync_in_turn(holder) }
        end while synced == false
        synced
      end

      # @return [Boolean] false: the turn was lost
      def sync_in_turn(holder)
        begin
          wanted = @queues
          wanted.empty? ? disconnect : update_channels(wanted.flat_map(&:channels).uniq, holder)
          return false unless holder.held?

          @settled = wanted
        end until wanted.equal?(@queues)
        true
      end

      # This may be the first call that finds the connection lost. What is sent is unknown to a caller that takes the turn meanwhile, so it counts as
      # neither listened to nor not until it is answered.
      def update_channels(wanted, holder)
        tries ||= 0
        connect(holder) unless connected?
        return unless holder.held?

        commands = (wanted - @listening).map { |channel| "LISTEN #{escape_identifier(channel)}" }
        commands += (@listening - wanted).map { |channel| "UNLISTEN #{escape_identifier(channel)}" }
        @listening &= wanted
        run(commands.join("; "), holder) unless commands.empty?
        @listening = wanted if holder.held?
      rescue NotSent, Indeterminate
        (tries += 1) == 1 ? retry : raise
      end

      def run(sql, holder)
        request = Request.script(sql).pin
        @trunk.reader.perform_beside_others(request, nil, holder)
        @responses.announce(request)
        raise @responses.error(request) unless request.answered?
      end

      # Notifications for subscriptions that listened before may have been missed.
      def connect(holder)
        @sessions.check_in(@trunk, false) if @trunk
        @trunk = nil
        @listening = []
        trunk = take
        return @sessions.check_in(trunk, true) unless holder.held?

        @trunk = trunk
        distribute([Notification.new], @settled & @queues)
      end

      # @raise [SharedStateError] there is a pooler, which would not forward notifications
      def take
        sentinel = GCSentinel.new
        trunk = @sessions.take(Request.companion.pin, @sessions.reservation(HOLDER), @sessions.direct || @sessions.usual, ReachableOwner.new(sentinel, Thread.current))
        trunk.user = self
        return trunk unless trunk.pooled?

        @sessions.check_in(trunk, true)
        raise SharingErrors.behind_pooler(nil, :listen, trunk.server, @sessions.direct ? :session : :anywhere)
      end

      def disconnect
        trunk = @trunk or return
        @trunk = nil
        @sessions.check_in(trunk, false)
      end

      # Repeats while that makes sense; the pool makes the pauses.
      def reconnect(queue, by)
        @lock.synchronize { queue.want.then { @queues = [*listening_ones - [queue], queue] } } if queue.suspended?
        queue.resume if Deadlines.hold(by) { sync_channels(by) } && queue.suspended?
      rescue Deadline
        raise unless by && Waiting.now >= by
      rescue Error => error
        raise unless error.retriable?
      end

      # @return [false]
      def deliver(trunk)
        bodies = trunk.codec.take_notifications
        distribute(bodies.map { |body| Notification.parse(body) }) unless bodies.empty?
        false
      end

      # All notifications are queued before a caller is woken, which may run at once.
      def distribute(notifications, queues = @queues)
        concerned = queues.select do |queue|
          theirs = queue.ended? ? [] : notifications.select { |notification| queue.take?(notification) }
          theirs.each { |notification| queue.add(notification) }.any?
        end
        bound_bytes
        concerned.each(&:wake)
      end

      # The subscription with the most bytes that were not taken loses them, and not one whose reader keeps up.
      def bound_bytes
        queues = @queues
        queues.max_by(&:bytes).drop while queues.sum(&:bytes) > @limits.max_unrequested
      end
    end
    private_constant :Listener
  end
end
