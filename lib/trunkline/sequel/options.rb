# frozen_string_literal: true

require_relative "startup_settings"

module Sequel
  module Trunkline
    # Converts Sequel's options of a Database to those of a client. Settings that Sequel's own adapter makes on each connection by a statement are
    # part of the startup message, and apply again whenever a connection is reset.
    class Options
      # The argument of a notice receiver: the notice's fields, and its text.
      Notice = Struct.new(:fields) do
        def result_error_message = ::Trunkline.const_get(:ErrorReport).new(fields, context: false).to_s
        alias_method :error_message, :result_error_message
      end

      # Options with other names in Sequel.
      NAMES = { database: :dbname, encoding: :client_encoding, charset: :client_encoding, pool_timeout: :max_wait }.freeze
      CLIENT = ::Trunkline::Limits::DEFAULTS.keys.freeze
      CONFIG = ::Trunkline::Config.option_names.freeze
      # As in Sequel's own adapter.
      MESSAGES = %w[debug5 debug4 debug3 debug2 debug1 log notice warning error fatal panic].freeze
      # As of a client without Sequel.
      CONNECTIONS = 4
      MAX_CONNECTIONS = 16
      # Several hosts use the options of one, with commas.
      LISTS = { hosts: 'host: "one.example,two.example"', ports: 'port: "5432,5433"' }.freeze
      private_constant :LISTS, :CONNECTIONS, :MAX_CONNECTIONS, :NAMES, :CLIENT, :CONFIG, :MESSAGES

      # @param opts [Hash{Symbol => Object}] of one server of a Database
      # @param server [Symbol, Hash] its name
      # @raise [Sequel::Error] an invalid value, or several hosts in an option that does not exist
      def initialize(opts, server = :default)
        check_lists(opts)
        @opts = opts
        @server = server
        @given = opts.merge(opts[:driver_options] || {}).transform_keys { |name| NAMES.fetch(name, name) }.reject { |_, value| ["", nil].include?(value) }
      end

      # @return [::Trunkline::Config]
      def config = ::Trunkline::Config.new(@opts[:conn_str], session: session, **@given.slice(*CONFIG))

      # @param config [::Trunkline::Config]
      # @param decode [Hash] how values are decoded
      # @return [::Trunkline::Postgres::Client]
      def client(config, decode:)
        client = ::Trunkline::Postgres::Client.new(config, decode: decode, session_functions: session_functions,
                                                               errors: @given.fetch(:errors, :with_values).to_sym, **limits, **budget)
        receiver = @opts[:notice_receiver]
        client.on_notice { |fields| receiver.call(Notice.new(fields)) } if receiver
        client
      end

      # @return [Integer] the most connections in all
      def max_connections = number(:max_connections, @given.fetch(:max_connections, MAX_CONNECTIONS))

      # @return [String] the class alone: the instance variables contain a password
      def inspect = "#<#{self.class}>"

      private

      # Sequel ignores unknown options: the client would connect to the default host.
      def check_lists(opts)
        name = LISTS.keys.find { |list| opts.key?(list) || opts[:driver_options]&.key?(list) } or return
        raise Sequel::Error, "#{name} is no option of this adapter: several are named as in #{LISTS[name]}"
      end

      # One connection is left for a caller that reserves one, if more than one is allowed.
      def budget = { connections: number(:connections, @given.fetch(:connections) { (max_connections - 1).clamp(1, CONNECTIONS) }), max_connections: max_connections }

      # In a URL, separated by commas.
      def session_functions = ::Trunkline::Postgres.const_get(:SessionFunctions).listed(@given[:session_functions])

      def limits = @given.slice(*CLIENT).to_h { |name, value| [name, number(name, value)] }

      # In a URL everything is a String.
      def number(name, value)
        return value unless value.is_a?(String)

        value.include?(".") ? Float(value) : Integer(value)
      rescue ArgumentError
        raise Sequel::Error, "#{name} must be a number, not #{value.inspect}"
      end

      def session
        given = { "search_path" => search_path(@opts[:search_path]), "client_min_messages" => messages(@opts[:client_min_messages]) }.compact
        { **given, **StartupSettings.new(@opts, @server).to_h }
      end

      def search_path(path)
        case path
        when nil then nil
        when String then search_path(path.split(",").map(&:strip))
        when Array then path.map { |schema| "\"#{schema.to_s.gsub('"', '""')}\"" }.join(",")
        else raise Sequel::Error, "unrecognized value for :search_path option: #{path.inspect}"
        end
      end

      def messages(level)
        level = level.to_s.strip.downcase
        return if level.empty?
        return level if MESSAGES.include?(level)

        raise Sequel::Error, "Unsupported client_min_messages setting: #{level.upcase}"
      end
    end
  end
end
