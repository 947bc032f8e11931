# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # The status of a connection and of its server.
      module Status
        include Constants

        TRANSACTIONS = { "I" => PQTRANS_IDLE, "T" => PQTRANS_INTRANS, "E" => PQTRANS_INERROR }.freeze
        # As servers report it, and poolers forward it.
        VERSION = /\A(\d{2,})(?:\.(\d+))?/
        private_constant :TRANSACTIONS, :VERSION

        # @return [Integer] PG::PQTRANS_IDLE, PQTRANS_INTRANS, PQTRANS_INERROR; PQTRANS_ACTIVE while an abandoned query runs;
        #   PQTRANS_UNKNOWN when the connection of a transaction is lost
        def transaction_status
          return PQTRANS_UNKNOWN if @session.broken?

          @session.idle? ? TRANSACTIONS.fetch(@session.status) : PQTRANS_ACTIVE
        end

        # @return [Integer] PG::CONNECTION_OK or PG::CONNECTION_BAD
        def status = finished? || !@session.alive? ? CONNECTION_BAD : CONNECTION_OK

        # @return [Boolean] whether it has a reserved connection now
        def pinned? = @session.pinned?

        # @return [Integer] 150004 for PostgreSQL 15.4; as the server reported it at login. It is queried only if there was no login yet
        def server_version
          version = VERSION.match(@session.reported["server_version"].to_s)
          version ? (version[1].to_i * 10_000) + version[2].to_i : Integer(setting("server_version_num"))
        end

        # @param name [String] of a setting
        # @return [String, nil] its value in the session
        def parameter_status(name) = setting(name)

        # @return [Integer] process ID of the server's backend, whose connection is reserved from now on
        def backend_pid
          @session.reserve || Integer(exec("SELECT pg_catalog.pg_backend_pid()").getvalue(0, 0))
        end

        # @return [String] the database
        def db = @config.dbname

        # @return [String]
        def user = @config.user

        # @return [String] a name, an address or the folder of a Unix socket
        def host = @config.host

        # @return [Integer]
        def port = @config.port

        # @return [String] the password for connecting; empty: none
        def pass = @config.password.to_s

        # @return [String] the address of the server of the connection, which is reserved from now on; empty for a Unix socket
        def hostaddr
          backend_pid if @session.socket.nil?
          address = BasicSocket.for_fd(@session.socket.fileno).tap { |socket| socket.autoclose = false }.remote_address
          address.ip? ? address.ip_address : ""
        end

        # @return [String] empty: servers have none
        def tty = ""

        # @return [String] the `options` of the startup message
        def options = @config.session["options"].to_s

        # @return [String] of the latest query; empty, as errors are raised
        def error_message = ""

        # @return [Array<Hash{Symbol => String, Integer, nil}>] its options, with :keyword and :val
        def conninfo
          given = { service: @config.service, connect_timeout: seconds_given, host: host, port: port, dbname: db, user: user, password: pass, options: options, application_name: @config.application_name }
          Conninfo.described(given.transform_values { |value| value.to_s.empty? ? nil : value })
        end

        # @return [Hash{Symbol => String, nil}] the same, by libpq's names
        def conninfo_hash = conninfo.to_h { |option| [option[:keyword].to_sym, option[:val]] }

        # @return [Array<Hash{Symbol => String, Integer, nil}>] the default options
        def conndefaults = Conninfo.defaults

        # @return [Hash{Symbol => String, nil}] the same, by libpq's names
        def conndefaults_hash = conndefaults.to_h { |option| [option[:keyword].to_sym, option[:val]] }

        # Accepts only UTF-8, the encoding of all Strings.
        def set_client_encoding(name) = Config.new(nil, client_encoding: name) && nil
        alias client_encoding= set_client_encoding

        # @return [Encoding] UTF-8: there is no other
        def set_default_encoding = check_open || Encoding::UTF_8

        # @return [String] UTF8
        def get_client_encoding = "UTF8"

        # @return [Encoding] of the Strings in results: UTF-8
        def internal_encoding = Encoding::UTF_8

        # @param encoding [Encoding, String, nil] UTF-8; nil means that, too
        # @raise [ConfigError] it is another one
        def internal_encoding=(encoding)
          check_open
          Config.new(nil, client_encoding: encoding.to_s) if encoding
        end

        # @return [Encoding] of what is sent to the server: UTF-8
        def external_encoding = Encoding::UTF_8

        private

        # In libpq's form; libpq has no default limit.
        def seconds_given = (@config.connect_timeout&.to_i unless @config.source(:connect_timeout) == "default")

        def setting(name) = exec_params("SELECT pg_catalog.current_setting($1, true)", [name]).getvalue(0, 0)
      end
    end
  end
end
