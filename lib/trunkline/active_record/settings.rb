# frozen_string_literal: true

require_relative "iso_interval"
require_relative "keys"

module Trunkline
  module ActiveRecord
    # The settings of a connection in database.yml, as options of a client. The startup message contains what the stock adapter sets on each
    # connection by a statement. Equal settings can share a client.
    class Settings # :nodoc:
      # Types that are decoded as ActiveRecord expects them: boolean, text and numbers of all kinds, timestamps, uuid. It reads all others from the
      # server's text, intervals in ISO 8601.
      DECODED = [16, 19, 20, 21, 23, 25, 26, 700, 701, 1042, 1043, 1114, 1184, 1700, 2950].to_h { |oid| [oid, :value] }
                .merge(1186 => IsoInterval.method(:of), 1187 => IsoInterval.method(:of_array), default: :text).freeze
      DATE = 1082 # its OID
      # Settings that would change the form of values.
      FIXED = %w[datestyle standard_conforming_strings client_encoding].freeze
      # Defaults: the most connections that queries share, and the most in all.
      CONNECTIONS = 4
      MAX_CONNECTIONS = 16
      # Seconds that ActiveRecord waits for a connection by default (checkout_timeout).
      CHECKOUT_TIMEOUT = 5
      SHORTEST_WAIT = 0.001 # seconds in place of a checkout_timeout of 0, as max_wait must be positive: a bound
      private_constant :DECODED, :DATE, :FIXED, :CONNECTIONS, :MAX_CONNECTIONS, :CHECKOUT_TIMEOUT, :SHORTEST_WAIT

      # @param config [Hash{Symbol => Object}] of database.yml
      # @param timezone [Symbol] :utc or :local
      # @param dates [Boolean] whether dates become Ruby's
      # @raise [ConfigError] an invalid value
      def initialize(config, timezone:, dates: false)
        Keys.check(config)
        @adapter = config[:adapter].to_s # adapters know different types
        @conninfo = conninfo(config)
        @session = session(config, timezone)
        @dispensable = dispensable(config)
        @options = options(config, dates)
        @config = Config.new(nil, session: @session, dispensable: @dispensable, **@conninfo)
      end

      # @return [Config]
      attr_reader :config

      # @return [Postgres::Client] a new one
      def client = Postgres::Client.new(@config, **@options)

      # @return [Array] that distinguishes it from others
      def state = [@adapter, @conninfo, @session, @dispensable, @options]

      def eql?(other) = other.is_a?(Settings) && state == other.state
      alias == eql?
      def hash = state.hash

      # @return [String] the server; no password
      def inspect = "#<#{self.class} #{config.server}>"

      private

      # Keys that libpq knows, of this machine's version or of a newer one.
      def conninfo(config)
        renamed = { client_encoding: config[:encoding] || config[:client_encoding] || "UTF8", user: config[:username], dbname: config[:database] }.compact
        { **config.slice(*Config.option_names, :requiressl), **renamed }.compact
      end

      def session(config, timezone)
        {
          "client_min_messages" => config[:min_messages],
          "search_path" => search_path(config[:schema_search_path] || config[:schema_order]),
          "TimeZone" => ("UTC" if timezone == :utc), **variables(config[:variables])
        }.compact.transform_values(&:to_s)
      end

      # Settings that the stock adapter sets by default: if a pooler refuses them, there are notices that say little, and intervals are rewritten.
      def dispensable(config)
        { "IntervalStyle" => "iso_8601", "client_min_messages" => (config[:min_messages] ? nil : "warning") }.compact.except(*variables(config[:variables]).keys)
      end

      # In a SET command a name may be in single quotes; in the startup message, only in double quotes.
      def search_path(names)
        names = names.join(",") if names.is_a?(Array)
        names&.gsub(/'([^']*)'/, '"\1"')&.split(",", -1)&.map(&:strip)&.join(", ")
      end

      # Names are case-insensitive; those that every session starts with are spelled as the server does.
      def variables(given)
        (given || {}).compact.to_h { |name, value| [spelling(name.to_s), (value unless [":default", :default].include?(value))] }
      end

      def spelling(name)
        if FIXED.include?(name.downcase)
          raise ConfigError, "variables: #{name} is refused: values are read in the form that it has by default (database.yml)"
        end

        { "timezone" => "TimeZone", "intervalstyle" => "IntervalStyle" }.fetch(name.downcase, name)
      end

      def options(config, dates)
        {
          **budget(config), **limits(config),
          prepare: config[:prepared_statements].nil? || flag(config, :prepared_statements),
          max_statements: count(config, :statement_limit, Limits::DEFAULTS[:max_statements]),
          session_functions: session_functions(config[:session_functions]),
          replicas: flag(config, :replicas),
          errors: (config[:errors] || :with_values).to_sym,
          failover_wait: seconds(config, :failover_wait, 0),
          silence: seconds(config, :silence, Limits::DEFAULTS[:silence]).then { |after| after unless after.zero? },
          max_wait: [(config[:checkout_timeout] || CHECKOUT_TIMEOUT).to_f, SHORTEST_WAIT].max,
          decode: dates ? { **DECODED, DATE => :value } : DECODED
        }
      end

      # In a URL everything is a String.
      def limits(config)
        limits = config.slice(*Keys::LIMITS).compact.transform_values { |value| value.is_a?(String) ? number(value) : value }
        Limits.new(**limits) # raises for invalid values
        limits
      rescue ArgumentError => error
        raise ConfigError, "#{error.message} (database.yml)"
      end

      def number(text) = Integer(text, exception: false) || Float(text, exception: false) || text

      # If only one of the two is given, it determines the other.
      def budget(config)
        most = count(config, :max_server_connections, [MAX_CONNECTIONS, config[:server_connections].to_i].max)
        connections = count(config, :server_connections, [CONNECTIONS, most].min)
        return { connections: connections, max_connections: most } if connections <= most

        raise ConfigError, "max_server_connections must be at least server_connections (#{connections}), not #{most} (database.yml)"
      end

      # In a URL everything is a String.
      def session_functions(given)
        names = Postgres.const_get(:SessionFunctions).listed(given)
        Postgres.const_get(:SessionFunctions).parse(names) unless names == :detect
        names
      rescue ArgumentError => error
        raise ConfigError, "#{error.message} (database.yml)"
      end

      # In a URL everything is a String.
      def flag(config, name)
        { "true" => true, "false" => false, "" => false }.fetch(config[name].to_s) { |given| raise ConfigError, "#{name} must be true or false, not #{given} (database.yml)" }
      end

      def seconds(config, name, default)
        Float((config[name] || default).to_s).tap { |number| raise ArgumentError if number.negative? || number.nan? }
      rescue ArgumentError
        raise ConfigError, "#{name} must be a number of seconds, not #{config[name].inspect} (database.yml)"
      end

      def count(config, name, default)
        Integer((config[name] || default).to_s).tap { |number| raise ArgumentError unless number.positive? }
      rescue ArgumentError, TypeError
        raise ConfigError, "#{name} must be a positive number, not #{config[name].inspect} (database.yml)"
      end
    end
    private_constant :Settings
  end
end
