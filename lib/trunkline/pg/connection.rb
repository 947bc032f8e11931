# frozen_string_literal: true

require_relative "copy_row"
require_relative "exceptions"
require_relative "shape"
require_relative "type_maps"

module Trunkline
  module PG
    # For code that is written for PG::Connection: the names and the results are pg's, but the pg gem and libpq are not needed. A connection of
    # {PG.connect} has its own server connection; those of a {Pool} share some. One fiber or thread uses it at a time.
    class Connection
      include Constants
      include Shape

      PROGRAM_NAME = Conninfo::PROGRAM_NAME
      CONNECT_ARGUMENT_ORDER = Conninfo::CONNECT_ARGUMENT_ORDER

      # Options of the client of a single connection.
      ALONE = { connections: 1, max_connections: 1 }.freeze
      # All values are the server's text, which type maps convert.
      TEXT = { default: :text }.freeze
      private_constant :ALONE, :TEXT

      class << self
        include Conninfo

        # Connects to a server.
        #
        #   connection = Trunkline::PG.connect("postgres:///app")
        #   connection.exec_params("SELECT name FROM users WHERE id = $1", [42]).first   # => {"name" => "Barbara"}
        #
        # @param arguments [Array] a URI, a connection string or a Hash, or both; or host, port, options, tty, dbname, user, password
        # @yieldparam connection [Connection] closed at the block's end
        # @return [Connection, Object] with a block, what the block returned
        # @raise [ConnectionBad] the server cannot be reached, or refuses
        # @raise [Error] an option is unknown or invalid
        def connect(*arguments, **options)
          connection = new(*arguments, **options)
          return connection unless block_given?

          begin
            yield connection
          ensure
            connection.finish
          end
        end
        alias open connect
        alias async_connect connect
        alias sync_connect connect
        alias setdb connect
        alias setdblogin connect

        # @param text [String]
        # @return [String] for use between single quotes
        def escape_string(text) = text.to_s.gsub("'", "''")
        alias escape escape_string

        # @param bytes [String]
        # @return [String] for use between single quotes
        def escape_bytea(bytes) = Bytea.escape(bytes)

        # @param text [String] as a server sends it
        # @return [String] bytes
        def unescape_bytea(text) = Bytea.unescape(text)

        # @return [String] the password for `ALTER ROLE ... PASSWORD`, by MD5; {#encrypt_password} has other algorithms
        # @raise [TypeError] one of them is not a String
        def encrypt_password(password, role) = EncryptedPassword.of(password, role, "md5")

        # @param name [String, Array<String>]
        # @return [String] quoted
        def quote_ident(name)
          raise TypeError, "no implicit conversion of nil into String" if name.nil?
          raise ArgumentError, "string contains null byte" if Array(name).any? { |part| part.to_s.include?("\0") }

          TextEncoder::Identifier.new.encode(name)
        end
      end

      # As {connect}, without a block.
      def initialize(*arguments, **options)
        config = Connection.settings_of(arguments, options)
        @client = Postgres::Client.new(config, decode: TEXT, **ALONE)
        begin_with(@client, config, Thread.main)
        @client.ping
      rescue ::Trunkline::ConfigError => error
        raise Error, error.message
      rescue ::Trunkline::Error => error
        @client&.close
        raise translated(error)
      end

      # @param client [Postgres::Client] shared with others
      # @return [Connection]
      def self.over(client, config) = allocate.tap { |connection| connection.__send__(:begin_with, client, config, Thread.current) } # :nodoc:

      # A client whose values are text.
      def self.client(config, **options) = Postgres::Client.new(config, decode: TEXT, **options) # :nodoc:

      # Closes the connection.
      #
      # @return [nil]
      # @raise [ConnectionBad] it is closed
      def finish
        raise failure(:ConnectionBad, "connection is closed") if @finished

        super.tap { @client&.close }
      end
      alias close finish

      # @return [Integer] the protocol version
      def protocol_version = 3

      private

      def begin_with(client, config, holder)
        interface = Postgres::AdapterInterface.of(client)
        begin_shape(interface, config, interface.virtual_session("Trunkline::PG", Result, holder: holder))
      end

      def namespace = PG
      def translated(error) = ERRORS.of(error, self)

      ERRORS = Translation.new(PG)
      private_constant :ERRORS
    end
  end
end
