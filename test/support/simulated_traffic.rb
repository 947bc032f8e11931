# frozen_string_literal: true

require_relative "dispatching"
require_relative "simulated_server"
require_relative "timetable"

module Trunkline
  # Simulated traffic: a real dispatcher and real codecs between simulated callers and a simulated server, on the test's clock, so each run has the
  # same result.
  class SimulatedTraffic
    include Requests

    # The clock's first time. With the machine's time, its uptime would affect rounding, and one rounding decides whether another connection is tried.
    START = 1000.0
    LOOK_AGAIN = 0.02 # seconds after which waiting callers check whether another connection should be opened
    CONNECTING = 0.005
    private_constant :START, :LOOK_AGAIN, :CONNECTING

    Query = Struct.new(:name, :request, :statement, :work, :came, :through)
    Connection = Struct.new(:state, :codec, :socket, :session, :in_flight)
    private_constant :Connection

    # @return [Hash{Object => Array<Float>}] seconds that queries took their callers, by name
    attr_reader :took
    # @return [Hash{Object => Integer}] how often queries of that name became long, or short again
    attr_reader :changes
    # @return [Dispatcher]
    attr_reader :dispatcher

    # @param connections [Integer] that are open, and stay so
    # @param most [Integer] of them
    # @param processors [Integer] of the server
    # @param round_trip [Float] seconds
    # @param seed [Integer] of what happens by chance
    # @param timetable [Timetable] that others go by too
    def initialize(connections: 4, most: connections, processors: 2, round_trip: 0.0001, seed: 1, timetable: SimulatedTraffic.timetable)
      @timetable = timetable
      @server = SimulatedServer.new(@timetable, processors: processors, round_trip: round_trip)
      @round_trip = round_trip
      @most = most
      @dispatcher = Dispatcher.new(connections, most, 3600)
      @connections = []
      @lines = { false => [], true => [] } # waiting callers, by whether their query is long
      @opening = 0
      @took = Hash.new { |took, name| took[name] = [] }
      @changes = Hash.new(0)
      @classed = {}.compare_by_identity
      @stopped_until = 0
      @random = Random.new(seed)
      connections.times { open }
      look_again
    end

    # @return [Timetable] from whose beginning on the clock is the test's
    def self.timetable
      Clock.pass(-Clock.now)
      Clock.pass(START)
      Timetable.new
    end

    # Adds a query.
    #
    # @param query [Query] whose `through` is called when its answer has come
    def ask(query)
      line = @lines.fetch(query.request.long?)
      connection = @dispatcher.choose(query.request) || find(query) if line.empty?
      connection ? submit(connection, query) : line.push(query)
    end

    # Adds queries at random times.
    #
    # @param rate [Numeric] a second
    # @yieldparam random [Random]
    # @yieldreturn [Array(Statement, Float, Float), nil] seconds of a processor, and of waiting; nil: none comes this time
    def comes(name, rate, &query)
      @timetable.after(-Math.log(1 - @random.rand) / rate) do
        statement, *work = query.call(@random)
        came = @timetable.now
        by_the_client { ask(Query.new(name, REQUEST.query(statement, []), statement, work, came)) } if statement
        comes(name, rate, &query)
      end
    end

    # Repeatedly, the client does nothing for a while.
    def stops(every, seconds)
      @timetable.after(every) do
        @stopped_until = @timetable.now + seconds
        stops(every, seconds)
      end
    end

    # Lets so much time pass. Clears earlier measurements.
    def run(seconds)
      took.clear
      @timetable.run(seconds)
    end

    def close = [*@connections.map(&:socket), *@connections.map { |connection| connection.session.socket }].each(&:close)

    # @return [Integer] connections that are open
    def size = @connections.size

    # @param part [Float] of the queries of that name
    # @return [Float] seconds that all but the others took at most
    def quantile(name, part) = took.fetch(name).sort.then { |sorted| sorted[[(sorted.size * part).to_i, sorted.size - 1].min] }

    private

    def by_the_client(&act)
      pause = @stopped_until - @timetable.now
      pause.positive? ? @timetable.after(pause) { by_the_client(&act) } : act.call
    end

    def open
      codec = self.codec
      connection = Connection.new(nil, codec)
      connection.socket, connection.session = @server.connect { by_the_client { read(connection) } }
      connection.in_flight = []
      connection.state = ConnectionState.new(codec, connection.socket.fileno)
      connection.state.round_trip = @round_trip * 3 # the time that connecting took
      connection.state.lead(request.tap { |leader| connection.state.enter(leader) })
      @connections << connection
      @dispatcher.choose_among(@connections.dup, @connections.map(&:state))
      look_for_room
    end

    # One connection is left for a transaction.
    def look_for_room = @dispatcher.may_grow = @connections.size + @opening < @most - 1

    # --- asking ---

    # A waiting caller checks from time to time whether the server is blocked on all connections.
    def look_again
      @timetable.after(LOOK_AGAIN) do
        by_the_client { serve_all }
        look_again
      end
    end

    def find(query)
      connection = @dispatcher.find(query.request)
      grow if connection.nil? && @dispatcher.should_open_another?(query.request, @opening)
      connection
    end

    def grow
      @opening += 1
      look_for_room
      @timetable.after(CONNECTING) do
        by_the_client do
          @opening -= 1
          open
          serve_all
        end
      end
    end

    def submit(connection, query)
      connection.in_flight.push(query)
      connection.session.work.push(query.work)
      connection.codec.submit(query.request)
      connection.codec.output.send_to(connection.socket.fileno)
      @server.hear(connection.session)
    end

    # --- answers ---

    def read(connection)
      connection.codec.input.receive_from(connection.socket.fileno)
      connection.codec.receive([])
      answered(connection.in_flight.shift) while connection.in_flight.first&.request&.done?
      serve_all
    end

    def answered(query)
      took[query.name] << (@timetable.now - query.came)
      long = query.statement.service.long?
      @changes[query.name] += 1 unless long == @classed.fetch(query.statement, false)
      @classed[query.statement] = long
      query.through&.call
    end

    def serve_all = @lines.each_value { |line| serve(line) }

    def serve(line)
      while (query = line.first) && (connection = find(query))
        submit(connection, line.shift)
      end
    end
  end
end
