# frozen_string_literal: true

require_relative "../children"

class History
  # Faults of a server and of this process while callers act: the seed determines after how many of their steps, and which comes next. A separate
  # thread causes them, one after the other, beside every event loop.
  class Faults
    include Children

    TYPES = %w[int bigint numeric text float8].freeze
    IDLE = "20ms"
    private_constant :TYPES, :IDLE

    # @param gaps [Hash{Symbol => Integer}] the average number of steps between two faults of a kind, each a private method
    # @param seed [Integer]
    # @param server [Trunkline::Bench::PostgresServer] restarted at will
    # @param name [String] the clients' application_name and role, and the prefix of the tables
    # @param db [Trunkline::Postgres::Client]
    def initialize(gaps, seed:, server:, name:, db:)
      @random = Random.new(seed)
      @server = server
      @name = name
      @db = db
      @gaps = gaps
      @next = gaps.to_h { |kind, _| [kind, 0] }
      gaps.each_key { |kind| put_off(kind) }
      @missing = gaps.keys
      @steps = 0
      @counts = Hash.new(0)
      @orders = Thread::Queue.new
      @lock = Thread::Mutex.new
      @thread = Thread.new { obey }
      @thread.report_on_exception = false
    end

    # Counts a step of a caller.
    def step
      @lock.synchronize do
        @steps += 1
        @next.each do |kind, at|
          next if at > @steps

          @orders << [kind, @random.rand(1 << 20)]
          @missing.delete(kind)
          put_off(kind)
        end
      end
    end

    # Whether each kind was due at least once.
    def each_due? = @missing.empty?

    # Waits until all that were due have happened.
    #
    # @return [Hash{Symbol => Integer}] how often each has
    # @raise [StandardError] what went wrong with one
    def finish
      @orders << nil
      @thread.join
      @counts
    end

    private

    def put_off(kind)
      @next[kind] += (@gaps.fetch(kind) * (0.5 + @random.rand)).ceil
    end

    def obey
      while (kind, number = @orders.pop)
        send(kind, number)
        @counts[kind] += 1
      end
    end

    # Ends one of the clients' backends, as an administrator does.
    def terminate(number)
      backends = "pg_stat_activity WHERE application_name = '#{@name}'"
      @server.psql("SELECT pg_terminate_backend(pid) FROM #{backends} ORDER BY pid LIMIT 1 " \
                   "OFFSET #{number} % greatest(1, (SELECT count(*) FROM #{backends}))")
    end

    def restart(_)
      @server.stop
      @server.start
    end

    # Changes the columns of a table that is read all the time.
    def change_table(number)
      type = TYPES[number % TYPES.size]
      @server.psql("ALTER TABLE #{@name}_changing ALTER value TYPE #{type} USING value::#{type}, ADD COLUMN c#{number} int")
      @server.psql("ALTER TABLE #{@name}_changing DROP COLUMN c#{number}")
    end

    # Makes the server end new sessions when they are idle; the next call ends that.
    def idle_timeout(_)
      @idle_timeout = @idle_timeout == IDLE ? "0" : IDLE
      @server.psql("ALTER ROLE #{@name} SET idle_session_timeout = '#{@idle_timeout}'")
    end

    # A forked child uses its own connections, and exits without closing them.
    def fork(number)
      right = in_child do
        @db.value("SELECT $1::int", number) == number
      rescue Trunkline::Error
        true
      end
      raise "in a forked child: #{right}" unless right == true
    end
  end
end
