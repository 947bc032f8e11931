# frozen_string_literal: true

module Trunkline
  # How many requests and bytes a client accepts before it raises {Overloaded}, and how long its connections live. Everything that could grow in a
  # client has one of these bounds.
  class Limits
    # The defaults. They are bounds: a client that reaches one raises, waits or forgets, and works on.
    #
    # max_in_flight:: requests in flight on one connection, beyond which others wait for room
    # max_bytes_in_flight:: bytes of these; a single larger request is still sent, alone
    # max_waiting:: callers that wait for room, or for a connection of their own
    # max_wait:: seconds that one of them waits
    # failover_wait:: seconds that a caller keeps waiting for a connection while none can be opened, because no server is reachable or none is of
    #   the required kind; 0: the first failed attempt is its error
    # silence:: seconds for which a server that owes an answer may send nothing before the client checks whether it is still there, with several hosts
    #   or a host name; ten times the statement's estimated time where that is longer; nil: no check
    # max_statements:: statements that are known by their text, and those that a connection keeps prepared
    # max_types:: types that are not built in and whose descriptions are kept; others are looked up in the catalogue again
    # max_statement_age:: seconds after which statements are prepared again and types are looked up again, as another program may have changed the
    #   types of parameters unnoticed; 0: each execution prepares its statement
    # max_futures:: unanswered futures of one fiber; the next one first waits for the oldest
    # max_future_bytes:: bytes of answers that are kept for a client's futures until their values are read; beyond these, the next future is refused.
    #   Answers that are in flight by then still arrive
    # max_message:: bytes of the longest message accepted from the server, which limits a row; also of the memory of the objects that a row's arrays,
    #   documents, composite values and the like become
    # max_unrequested:: bytes that are kept of what a server sends besides rows: the notices of one answer, unread notifications of a connection and
    #   of all subscriptions together, and the settings that it reports
    # max_subscriptions:: open subscriptions of a client; the next `listen` is refused
    # max_notifications:: notifications that a subscription keeps until they are taken; where one more arrives, a gap replaces all of them
    # max_lifetime:: seconds after which a connection is replaced, or up to a fifth sooner, so that not all are replaced at once
    # max_idle:: seconds after which an unused connection is closed, if there are more than `connections`
    DEFAULTS = {
      max_in_flight: 4096, max_bytes_in_flight: 64 * 1024 * 1024, max_waiting: 10_000, max_wait: 60, failover_wait: 0, silence: 2,
      max_statements: 1000, max_statement_age: 30, max_types: 1000, max_futures: 1000, max_future_bytes: 256 * 1024 * 1024,
      max_message: 256 * 1024 * 1024, max_unrequested: 16 * 1024 * 1024, max_subscriptions: 1000, max_notifications: 10_000,
      max_lifetime: 3600, max_idle: 60
    }.freeze

    # Those that may be 0.
    NONE = %i[failover_wait max_statement_age].freeze
    # Those that may be nil, which means no limit.
    ENDLESS = %i[silence].freeze
    # Those that must be Integers.
    WHOLE = (DEFAULTS.keys - %i[max_wait failover_wait silence max_lifetime max_idle max_statement_age]).freeze
    # The part of max_lifetime by which lifetimes differ, at random: connections that 100 processes have opened at one moment, four each, are replaced over
    # 720 s (max_lifetime 3600), less than one a second.
    JITTER = 0.2
    private_constant :WHOLE, :NONE, :ENDLESS, :JITTER

    DEFAULTS.each_key { |name| class_eval("def #{name} = @values[:#{name}]", __FILE__, __LINE__) }

    # @param limits keywords of {DEFAULTS}; Float::INFINITY for max_wait, failover_wait, max_lifetime, max_idle and max_statement_age means no limit
    # @raise [ArgumentError] a limit is not a positive number, or does not exist
    def initialize(**limits)
      unknown = limits.keys - DEFAULTS.keys
      raise ArgumentError, "unknown limits: #{unknown.join(", ")}" unless unknown.empty?

      @values = DEFAULTS.merge(limits).to_h { |name, value| [name, checked(name, value)] }.freeze
      freeze
    end

    # When a connection that is opened now reaches its lifetime.
    #
    # @return [Float] on the clock of Waiting.now
    def expiry = Waiting.now + (max_lifetime * (1 - (rand * JITTER)))

    # @param parameters [Array<Array>] of each statement of a batch
    # @raise [ArgumentError] they exceed what a connection may have in flight
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
