# frozen_string_literal: true

require_relative "answering_server"
require_relative "examination"
require_relative "mutations"

module CodecFuzz
  # Requests of every kind over one codec, and what a server answers to them, changed in some places and cut anywhere.
  class PostgresConversation
    include Trunkline::QueryMessages

    Codec, Statement, Request = %i[Codec Statement Request].map { |name| Trunkline::Postgres.const_get(name) }
    LIMIT = 1 << 16 # bytes of a message
    UNREQUESTED = 1 << 10 # bytes of notices and the like
    STATEMENTS = ["SELECT $1, $2", "SELECT 1", "FETCH ALL FROM c", "INSERT INTO t VALUES ($1, $2)", "SET x = 1", "SELECT now()"].freeze
    KINDS = %i[query query query again describe flow fetched script batch atomic limited guarded dependent].freeze
    COPIES = %i[copy_out copy_in].freeze
    MINOR_COLLECTIONS = 1 # and no others
    ROUNDS = 8 # of what is sent and what is answered: a COPY and a portal need some
    CHANGED_IN = 6 # rounds, in one of which the answers are changed
    private_constant :Codec, :Statement, :Request, :LIMIT, :UNREQUESTED, :STATEMENTS, :KINDS, :COPIES, :CHANGED_IN, :MINOR_COLLECTIONS, :ROUNDS

    # @param random [Random]
    # @param values [Values]
    # @param stressed [Boolean] whether the collector runs at each allocation of the codec's
    def initialize(random, values, stressed: false)
      @random = random
      @values = values
      @stress = stressed && MINOR_COLLECTIONS
      @server = AnsweringServer.new(random, values)
      @codec = Codec.new({ "client_encoding" => "UTF8" }, LIMIT, nil, @random.rand(6).zero? ? "" : "t", UNREQUESTED)
      @codec.exclusive = true if @random.rand(3).zero?
      @statements = STATEMENTS.each_with_index.map { |sql, slot| Statement.new(sql, slot) }
      @requests = []
      @woken = []
      @flows = []
    end

    # @return [:taken, :nonsense]
    def run
      outcome = exchanged
      end_all
      outcome
    end

    private

    def exchanged
      ROUNDS.times { |round| exchange(round) }
      :taken
    rescue Trunkline::ProtocolError
      :nonsense
    end

    def exchange(round)
      ask if round < 2 && @flows.all?(&:done?)
      @requests.each { |request| go_on(request) } if round >= 2
      messages = @server.answer(sent)
      deliver(@random.rand(CHANGED_IN).zero? ? Mutations.new(@random).apply([*messages, *stranger]) : messages.join)
    end

    # What copies has its connection alone.
    def ask
      return submit(send(COPIES.sample(random: @random))) if @random.rand(5).zero?

      (1 + @random.rand(3)).times { submit(send(KINDS.sample(random: @random))) }
    end

    def stranger
      return [] unless @random.rand(4).zero?

      [[error("FATAL"), ready, complete, bind_complete, frame("t", @random.bytes(@random.rand(9))), frame("E", @values.malformed), frame("S", @values.malformed),
        frame("T", @random.bytes(@random.rand(40))), frame("C", @values.malformed), frame("N", "x" * LIMIT)].sample(random: @random)]
    end

    def error(severity) = Trunkline::BackendMessages.error("E", S: severity, V: severity, C: "57P01", M: "x")

    def sent = @codec.output.take(@codec.output.size, +"")

    def deliver(bytes)
      until bytes.empty?
        piece = bytes.slice!(0, @random.rand(3).zero? ? 1 + @random.rand(20) : bytes.bytesize)
        @codec.input << piece
        return @codec.fail(@woken) { |sent| sent } unless receive

        @requests.each { |request| take_some(request) }
      end
    end

    def receive
      GC.stress = @stress
      @codec.receive(@woken)
    ensure
      GC.stress = false
    end

    # What callers do meanwhile.
    def take_some(request)
      @codec.portion(request) if flows?(request) && @random.rand(2).zero?
      @codec.flow_notices(request) if flows?(request) && @random.rand(8).zero?
      request.fail(nil) if @random.rand(60).zero?
      @codec.take_notifications if @random.rand(9).zero?
    end

    def flows?(request) = @flows.include?(request)

    def go_on(request)
      return unless @random.rand(2).zero?

      case copying(request)
      when :in then copy_some(request)
      when nil then submit(request.next_fetch) if request.done? && request.suspended?
      end
    end

    def copying(request) = flows?(request) ? request.copying : nil

    def copy_some(request)
      @codec.copy_data(request, @values.malformed)
      @random.rand(3).zero? ? @codec.copy_fail(request, "no") : @codec.copy_done(request)
    end

    def submit(request)
      request.pin if @random.rand(6).zero?
      request.fail(nil) if @random.rand(9).zero?
      return unless @codec.submit(request)

      @requests << request
      @codec.withdraw(request, nil) if @random.rand(30).zero?
    end

    def statement = @statements.sample(random: @random)

    def query(asked = statement)
      counted = asked.sql.include?("$2") || @random.rand(12).zero? ? [@random.rand(100), "x"] : []
      Request.query(asked, counted) || Request.converted(asked, [])
    end

    def again = (@requests.find { |request| request.statement && !request.done? } || query).again
    def describe = Request.describe(statement)
    def script = Request.script("SELECT 1; SELECT 2")
    def batch = Request.batch([query, query], false)
    def atomic = Request.batch([query, query], true).tap { |made| made.preamble = ["SET x = 1"] if @random.rand(2).zero? }
    # Its values were written for types, sometimes for others than the server has.
    def dependent
      types = [@random.rand(6).zero? ? 17 : 25, 25]
      made = Request.dependent(@statements.values_at(0, 3).sample(random: @random), ["x".b, nil], %i[x y], types)
      @random.rand(3).zero? ? made.unnamed! : made
    end

    def guarded = query.tap { |made| made.guard = [@random.rand(3), "SELECT 1 / $1", [23].freeze, ["1"].freeze].freeze }
    def limited = query.limit(1).tap { |made| made.preamble = ["SET x = 1", "SET y = 2"] if @random.rand(2).zero? }
    def flow = flowing(query.flow(2))
    def fetched = query.fetch("p", 2)
    def copy_in = flowing(Request.copy("COPY x FROM STDIN", 2))

    def copy_out
      request = flowing(Request.copy("COPY x TO STDOUT", 2))
      request.description = described_copy if @random.rand(4).positive?
      request
    end

    def flowing(request)
      @flows << request
      request
    end

    # The description that a statement over the same columns has.
    def described_copy
      types = Array.new(1 + @random.rand(4)) { @values.type }
      @server.copied = types
      codec = Codec.new({}, LIMIT)
      script = Request.script("x")
      codec.submit(script)
      codec.input << (row_description(types.each_with_index.to_h { |type, at| ["c#{at}", type] }) + complete("SELECT 0") + ready)
      codec.receive([])
      script.results[0][0]
    end

    def end_all
      @codec.fail(@woken) { |sent| sent }
      @requests.each { |request| raise "a request of a lost connection is not done" unless request.done? }
      @requests.each { |request| Examination.of(request) }
    end
  end
end
