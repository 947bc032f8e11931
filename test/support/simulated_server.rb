# frozen_string_literal: true

require "socket"
require_relative "frontend_units"

module Trunkline
  # A simulated server: it reads and answers over real sockets, but works by the time of a {Timetable}. Concurrent queries that need its processors
  # share them.
  class SimulatedServer
    framed = ->(*messages) { messages.map { |message| [message[0], message.bytesize + 3, message[1..]].pack("aNa*") }.join }
    # Its answers to messages before Execute; Flush ("H") makes it send them at once.
    ANSWERS = { "P" => framed["1"], "D" => framed["t\0\0", "n"], "B" => framed["2"] }.freeze
    END_OF_UNIT = framed["C\0", "ZI"]
    NEARLY_NOTHING = 1e-9 # seconds
    private_constant :ANSWERS, :END_OF_UNIT, :NEARLY_NOTHING

    # Its end of a connection; work has seconds of processor time and of waiting for each unit that will come.
    Session = Struct.new(:socket, :work, :units, :said, :busy, :heard)

    # @param processors [Integer]
    # @param round_trip [Float] seconds
    def initialize(timetable, processors:, round_trip:)
      @timetable = timetable
      @processors = processors
      @way = round_trip / 2
      @using = {}.compare_by_identity # sessions, and seconds of a processor that they still need
      @turn = 0
    end

    # @yield when an answer has come
    # @return [Array(UNIXSocket, Session)] the client's socket
    def connect(&heard)
      ours, theirs = UNIXSocket.pair
      [ours, Session.new(theirs, [], [], [], false, heard)]
    end

    # Reads the units that the client has written.
    def hear(session)
      units = FrontendUnits.of(session.socket.read_nonblock(1 << 20))
      @timetable.after(@way) do
        session.units.concat(units)
        begin_next(session) unless session.busy
      end
    end

    private

    def begin_next(session)
      unit = session.units.shift
      session.busy = !unit.nil? or return

      session.said = unit.filter_map { |type| ANSWERS[type] }
      say(session) if unit.include?("H")
      use, wait = session.work.shift
      use.positive? ? use_processor(session, use) : @timetable.after(wait) { finish(session) }
    end

    def finish(session)
      session.said.push(END_OF_UNIT)
      say(session)
      begin_next(session)
    end

    def say(session)
      bytes = session.said.join
      session.said = []
      @timetable.after(@way) do
        session.socket.write_nonblock(bytes)
        session.heard.call
      end
    end

    # --- processors ---

    def use_processor(session, seconds)
      go_on
      @using[session] = seconds
      await_next
    end

    def go_on
      worked = (@timetable.now - @since.to_f) * speed
      @using.transform_values! { |left| left - worked }
      @since = @timetable.now
    end

    def speed = [1.0, @processors.fdiv([@using.size, 1].max)].min

    # Schedules the end of the query that ends first, unless another one comes before.
    def await_next
      turn = @turn += 1
      return if @using.empty?

      @timetable.after([@using.each_value.min, 0].max / speed) { finish_those_through if turn == @turn }
    end

    def finish_those_through
      go_on
      through = @using.select { |_, left| left <= NEARLY_NOTHING }.keys
      through.each { |session| @using.delete(session) }
      await_next
      through.each { |session| finish(session) }
    end
  end
end
