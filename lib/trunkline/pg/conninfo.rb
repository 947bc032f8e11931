# frozen_string_literal: true

require_relative "../config"
require_relative "constants"

module Trunkline
  module PG
    # The class methods of PG::Connection for connection strings, besides connecting.
    module Conninfo
      # The default application_name.
      PROGRAM_NAME = $PROGRAM_NAME.dup.freeze
      # The meaning of positional arguments.
      CONNECT_ARGUMENT_ORDER = %w[host port options tty dbname user password].freeze
      LONG_PROGRAM = /^(.{30}).{4,}(.{30})$/
      # libpq lists these first, in this order.
      FIRST = %i[
        service user password passfile channel_binding connect_timeout dbname host hostaddr port client_encoding options application_name
        fallback_application_name
      ].freeze
      private_constant :LONG_PROGRAM, :FIRST

      # @param values [Hash{Symbol => Object}]
      # @return [Array<Hash{Symbol => String, Integer, nil}>] libpq's descriptions of all options, with these values
      def self.described(values) # :nodoc:
        (FIRST | Config.option_names).map do |name|
          { keyword: name.to_s, val: values[name]&.to_s, label: name.to_s, dispchar: name == :password ? "*" : "", dispsize: 64 }
        end
      end

      # @return [Array<Hash{Symbol => String, Integer, nil}>] the same, with the default values
      def self.defaults # :nodoc:
        config = Config.new
        described({ host: config.host, port: config.port, user: config.user, dbname: config.dbname })
      end

      # Checks whether the server accepts connections. No password is needed for that.
      #
      # @param arguments as {Connection.connect} takes them
      # @return [Integer] PG::PQPING_OK, PQPING_REJECT (it starts or stops), PQPING_NO_RESPONSE; PQPING_NO_ATTEMPT (invalid arguments)
      def ping(*arguments, **options)
        client = self.client(settings_of(arguments, options), connections: 1, max_connections: 1)
        client.ping
        Constants::PQPING_OK
      rescue ::Trunkline::ConfigError, ArgumentError, TypeError
        Constants::PQPING_NO_ATTEMPT
      rescue ::Trunkline::CannotConnectNow
        Constants::PQPING_REJECT
      rescue ::Trunkline::Error => error
        error.sqlstate ? Constants::PQPING_OK : Constants::PQPING_NO_RESPONSE # it has answered, by refusing this login
      ensure
        client&.close
      end
      alias async_ping ping
      alias sync_ping ping

      # @param hash [Hash{Symbol, String => Object}]
      # @return [String] as libpq's connection string
      def connect_hash_to_string(hash) = hash.map { |name, value| "#{name}='#{value.to_s.gsub(/[\\']/) { |sign| "\\#{sign}" }}'" }.join(" ")

      # @param text [String] a URI, or a connection string
      # @return [Array<Hash{Symbol => String, nil}>] a Hash with :keyword and :val for each option
      # @raise [PG::Error] it is malformed
      def conninfo_parse(text)
        Conninfo.described(Config.parse(text).transform_keys(&:to_sym))
      rescue ConfigError => error
        raise Error, error.message
      end

      # @param arguments as {Connection.connect} takes them
      # @return [String] the connection string
      # @raise [ArgumentError] there are too many
      def parse_connect_args(*arguments, **options)
        given = options_of(arguments, options)
        given[:fallback_application_name] ||= self::PROGRAM_NAME.sub(LONG_PROGRAM) { "#{$1}...#{$2}" }
        connect_hash_to_string(given)
      end

      # @return [Array<Hash{Symbol => String, nil}>] as {conninfo_parse}, with the default values
      def conndefaults = Conninfo.defaults

      # @return [Hash{Symbol => String, nil}] the same, by the names
      def conndefaults_hash = conndefaults.to_h { |option| [option[:keyword].to_sym, option[:val]] }

      # @return [Config] for the arguments of {Connection.connect}
      # @raise [ArgumentError] there are too many arguments
      def settings_of(arguments, options) # :nodoc:
        *arguments, hash = arguments if arguments.last.is_a?(Hash)
        check_size(arguments)
        options = { **hash.to_h.transform_keys(&:to_sym), **options }
        return Config.new(arguments.first&.to_s, **options) if arguments.size < 2

        Config.new(nil, **named(arguments), **options)
      end

      private

      # @return [Hash{Symbol => Object}]
      # @raise [ArgumentError] there are too many arguments
      def options_of(arguments, options)
        *arguments, hash = arguments if arguments.last.is_a?(Hash)
        check_size(arguments)
        hash = { **hash.to_h.transform_keys(&:to_sym), **options }
        first = arguments.first.to_s
        return { **ordered(Config.parse(first).transform_keys(&:to_sym)), **hash } if arguments.size == 1 && first.match?(%r{=|://})

        { **named(arguments), **hash }
      end

      def ordered(values) = (FIRST | values.keys).to_h { |name| [name, values[name]] }.compact

      def named(arguments) = CONNECT_ARGUMENT_ORDER.map(&:to_sym).zip(arguments).to_h.except(:tty).compact

      def check_size(arguments)
        most = CONNECT_ARGUMENT_ORDER.size
        raise ArgumentError, "Extra positional parameter #{most + 1}: #{arguments[most].inspect}; there are #{CONNECT_ARGUMENT_ORDER.join(", ")}" if arguments.size > most
      end
    end
    private_constant :Conninfo
  end
end
