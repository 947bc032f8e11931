# frozen_string_literal: true

module Trunkline
  # How much a client takes on before it says {Overloaded}, and how long its connections live. Nothing in a client grows
  # without one of these bounds.
  class Limits
    # What counts where a client is not told otherwise.
    #
    # max_in_flight:: requests that one connection has yet to answer, beyond which others wait for room
    # max_bytes_in_flight:: bytes of these; a single larger request still goes, alone
    # max_waiting:: callers that wait for room, or for a connection of their own
    # max_wait:: seconds that one of them waits
    # failover_wait:: seconds for which a caller goes on waiting for a connection where none can be opened, as no server is there or none of the
    #   kind that is asked for; 0: the first failed attempt is its error
    # silence:: seconds for which a server of several hosts, or of a name, may owe an answer and say nothing before it is looked whether it is there; ten times
    #   what the statement is expected to take where that is longer; nil: for ever
    # max_statements:: statements that are known by their text, and those that a connection keeps prepared
    # max_types:: types of the server's own, beyond the built-in ones, that are remembered; one that is not is looked up again
    # max_statement_age:: seconds after which statements are prepared again and types looked up again, as another program may have
    #   changed the types of parameters unnoticed; 0: each execution prepares its statement
    # max_futures:: futures of one fiber without an answer; the next one first waits for the oldest
    # max_future_bytes:: bytes that are kept of the answers of a client's futures whose values were not asked for; beyond these, the next
    #   future is refused. The answers that are in flight then still come
    # max_message:: bytes of the longest message accepted from the server, which means one row; of memory of the objects that a row's arrays,
    #   documents and values of composite and such types become, too
    # max_unrequested:: bytes that are kept of what a server sends beside rows: of the notices of one answer, of a connection's
    #   notifications that are not taken, and of the settings that it reports
    # max_lifetime:: seconds after which a connection is replaced, or up to a fifth sooner, so that not all go at once
    # max_idle:: seconds after which a connection that was not used is closed, of those beyond `connections`
    DEFAULTS = {
      max_in_flight: 4096, max_bytes_in_flight: 64 * 1024 * 1024, max_waiting: 10_000, max_wait: 60, failover_wait: 0, silence: 2,
      max_statements: 1000, max_statement_age: 30, max_types: 1000, max_futures: 1000, max_future_bytes: 256 * 1024 * 1024,
      max_message: 256 * 1024 * 1024, max_unrequested: 16 * 1024 * 1024, max_lifetime: 3600, max_idle: 60
    }.freeze

    # What may be 0.
    NONE = %i[failover_wait max_statement_age].freeze
    # What may be nil, which is for ever.
    ENDLESS = %i[silence].freeze
    # What can be no fraction.
    WHOLE = (DEFAULTS.keys - %i[max_wait failover_wait silence max_lifetime max_idle max_statement_age]).freeze
    JITTER = 0.2
    private_constant :WHOLE, :NONE, :ENDLESS, :JITTER

    DEFAULTS.each_key { |name| class_eval("def #{name} = @values[:#{name}]", __FILE__, __LINE__) }

    # @param limits keywords of {DEFAULTS}; Float::INFINITY for max_wait, failover_wait, max_lifetime, max_idle and max_statement_age is for ever
    # @raise [ArgumentError] one is not a positive number, or does not exist
    def initialize(**limits)
      unknown = limits.keys - DEFAULTS.keys
      raise ArgumentError, "unknown limits: #{unknown.join(", ")}" unless unknown.empty?

      @values = DEFAULTS.merge(limits).to_h { |name, value| [name, checked(name, value)] }.freeze
      freeze
    end

    # When a connection that is opened now has lived for long enough.
    #
    # @return [Float] on the clock of Waiting.now
    def expiry = Waiting.now + (max_lifetime * (1 - (rand * JITTER)))

    # @param parameters [Array<Array>] of each statement that is to go in one flight
    # @raise [ArgumentError] they are more than a connection may have in flight
    def check_batch(parameters)
      raise ArgumentError, "a batch has #{max_in_flight} statements at most (max_in_flight), not #{parameters.size}" if parameters.size > max_in_flight

      bytes = parameters.sum { |values| values.sum { |value| String === value ? value.bytesize : 0 } }
      return if bytes <= max_bytes_in_flight

      raise ArgumentError, "the parameters of a batch have #{max_bytes_in_flight} bytes at most (max_bytes_in_flight), not #{bytes}"
    end

    private

    def checked(name, value)
      return Float::INFINITY if nil == value && ENDLESS.include?(name)

      kind = WHOLE.include?(name) ? Integer : Numeric
      return value if Argument.is?(value, kind) && value.real? && (value.positive? || (value.zero? && NONE.include?(name)))

      raise ArgumentError, "#{name} must be a positive #{kind == Integer ? "Integer" : "number"}, not #{Argument.shown(value)}"
    end
  end
end
