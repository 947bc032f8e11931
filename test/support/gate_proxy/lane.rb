# frozen_string_literal: true

require_relative "message_scanner"

class GateProxy
  # One direction of one connection: the bytes from the source, and how many of them may go to the target. Positions count the bytes of the stream
  # from its beginning.
  class Lane
    SIZE = 65_536
    private_constant :SIZE

    attr_reader :source, :target

    # @param policy [Policy] of this direction
    # @param ending [String] the message type that ends a unit: "Z" of answers, "S" of requests
    # @param troubles [Troubles] of this direction of this connection
    def initialize(source, target, policy, ending, scanner, troubles)
      @source = source
      @target = target
      @policy = policy
      @ending = ending
      @scanner = scanner
      @troubles = troubles
      @pending = "".b
      @dues = []
      @endings = []
      @sent = 0
      @received = 0
      @limit = policy.held? ? 0 : Float::INFINITY
      @owed = 0
      @ended = false
    end

    def reading?
      !@ended && !@policy.stalled? && @pending.bytesize < @policy.room
    end

    # Reads what there is; nothing when the source has ended.
    def receive(now)
      bytes = @source.read_nonblock(SIZE, exception: false)
      return if bytes == :wait_readable
      return @ended = true if bytes.nil?

      @pending << bytes
      @received += bytes.bytesize
      @dues << [now + @policy.delay + @troubles.delay, @received]
      @policy.received(bytes.bytesize)
      note_messages(bytes)
    rescue Errno::ECONNRESET
      @ended = true
    end

    def writing?(now)
      allowed(now).positive?
    end

    # Sends what may be sent, at most one chunk.
    def send(now)
      sent = @target.write_nonblock(@pending.byteslice(0, allowed(now)), exception: false)
      return if sent == :wait_writable

      @pending.slice!(0, sent)
      @sent += sent
      @dues.shift while @dues.any? && @dues.first.last <= @sent
      @policy.sent(sent)
      @troubles.passed(@sent, now)
    rescue Errno::EPIPE, Errno::ECONNRESET
      @ended = true
      @pending.clear
    end

    # Seconds until the next bytes are due; nil when none waits for its time.
    def interval(now)
      due = @dues.first&.first
      return @troubles.interval(now) unless due && due > now

      [due - now, @troubles.interval(now)].compact.max
    end

    # Whether the connection is cut here.
    def cut?
      @troubles.cut?
    end

    # Whether the source has ended and nothing is left to send.
    def over?
      @ended && @pending.empty?
    end

    # @return [String] what has come and gone, to find the reason of a hang
    def describe(now)
      "#{@sent} of #{@received} bytes have gone and #{allowed(now)} may, the last message is #{@last.inspect}"
    end

    def hold
      @limit = @sent
      @owed = 0
    end

    def open
      @limit = Float::INFINITY
      @owed = 0
    end

    def allow_bytes(count)
      @limit += count
    end

    # Lets so many more units through, also those that have not arrived yet.
    def allow_units(count)
      @owed += count
      pay
    end

    private

    def note_messages(bytes)
      @scanner.scan(bytes) do |type, position|
        @last = type
        @policy.message(type)
        @endings << position if type == @ending
      end
      pay
    end

    def pay
      from = @limit.finite? ? @limit : @sent
      @endings.shift while @endings.any? && @endings.first <= from
      while @owed.positive? && @endings.any?
        @owed -= 1
        @limit = @endings.shift
      end
    end

    def allowed(now)
      due = @dues.take_while { |time, _| time <= now }.last
      return 0 if due.nil? || @policy.stalled?

      [[due.last, @limit].min - @sent, @policy.chunk, @troubles.room(@sent, now)].min
    end
  end
end
