# frozen_string_literal: true

module Trunkline
  # One call of a client, the argument of {Middlewares#operation}: its text and server; and after its end its duration and outcome.
  class Operation
    # The fiber-local variable with the current operation.
    CURRENT = :trunkline_operation
    private_constant :CURRENT

    # @return [Operation, nil] the calling fiber's
    def self.current = Thread.current[CURRENT] # :nodoc:

    # @return [Symbol] :query, :script, :async, :batch, :stream, :copy, :listen, :transaction or :connect; :command of a memcached client
    attr_reader :kind

    # @return [Symbol] :postgresql or :memcached
    attr_reader :system

    # @return [String] "host:port/database"; of memcached "host:port", or the path of a Unix socket. As long as a client has not connected to one of
    #   several hosts, it names all: "one:5432,two:5432/app"
    attr_reader :server

    # @return [String, nil] the statement, those of a batch joined, or the memcached command's name; nil: transaction, connect
    attr_reader :text

    # @return [Array] of a statement, or the keys of a command; they may be secrets
    attr_reader :parameters

    # @return [Float, nil] seconds from the call to its end; nil: not ended
    attr_reader :seconds

    # @return [Float, nil] the part of these seconds in which the server has worked on it. For a stream or a COPY, the time in which the call waited
    #   for the server; the server's work during the caller's block is not measured. nil: not measured, for `async`, where no caller waits, and for a
    #   transaction, whose queries have theirs
    attr_reader :server_seconds

    # @return [Integer, nil] rows that were returned, changed or copied
    attr_reader :rows

    # @return [Exception, nil] that it raised
    attr_reader :error

    # @param hook [Symbol] the method of {Middlewares} for this kind
    # @param arguments [Array] of that method
    def initialize(kind, server, text = nil, parameters = [], hook:, arguments:, system: :postgresql) # :nodoc:
      @kind = kind
      @system = system
      @server = server
      @text = text
      @parameters = parameters
      @hook = hook
      @arguments = arguments
      @seconds = @server_seconds = @rows = @error = @last = @waited = nil
    end

    # @return [Float, nil] seconds that it waited: for a connection, behind other requests, and for the network; for a stream or a COPY, until it was
    #   sent
    def waiting_seconds = server_seconds && [flow? ? @waited : seconds - server_seconds, 0.0].max

    # @return [Float, nil] seconds of a stream or a COPY in which the caller's block ran, or its IO; nil: another kind, or not measured
    def block_seconds = flow? && server_seconds ? [seconds - server_seconds - @waited, 0.0].max : nil

    # @return [String] its kind, and the beginning of its text
    def inspect = "#<#{self.class} #{kind} #{server}#{" #{text[0, 60].inspect}" if text}>"

    # Runs the hook for this kind around the call.
    def within(middlewares, &call) # :nodoc:
      before = Operation.current
      Thread.current[CURRENT] = self
      @start = now
      conclude(middlewares.public_send(@hook, *@arguments, &call))
    rescue Exception => @error # rubocop:disable Lint/RescueException
      raise
    ensure
      @seconds = now - @start
      Thread.current[CURRENT] = before
    end

    # @param request [#taken, #affected_rows] of the call, answered
    def took(request) # :nodoc:
      return if @last.equal?(request)

      @last = request
      taken = request.server_seconds
      worked(taken, now - @start - taken) if taken
      rows = request.affected_rows unless kind == :stream # a stream's rows are counted as they are yielded
      @rows = (@rows || 0) + rows if rows
    end

    # Measures waiting for the server within the block: for rows of a stream or a COPY, or until it accepts some.
    def await_server # :nodoc:
      begun = now
      yield
    ensure
      worked(now - begun, begun - @start)
    end

    # Counts a row of a stream.
    def count_row = @rows = (@rows || 0) + 1 # :nodoc:

    private

    def flow? = %i[stream copy].include?(kind)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # @param before [Float] seconds from the call until the server began with it
    def worked(seconds, before)
      @waited ||= before - (@server_seconds || 0.0)
      @server_seconds = (@server_seconds || 0.0) + seconds
    end

    def conclude(value)
      @rows = value if kind == :copy && value.is_a?(Integer)
      value
    end
  end
end
