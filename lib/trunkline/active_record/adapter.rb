# frozen_string_literal: true

require_relative "clients"
require_relative "errors"
require_relative "result"
require_relative "times"
require_relative "connection"
require_relative "advisory_locks"
require_relative "isolation"
require_relative "lease_holder"
require_relative "pool_advice"
require_relative "sequel_pg_guard"
require_relative "settings"
require_relative "executing"

module Trunkline
  # ActiveRecord on a client: see guides/rails.md.
  module ActiveRecord
    # All clients of ActiveRecord in this process.
    CLIENTS = Clients.new
    private_constant :CLIENTS

    # Turns a PostgreSQLAdapter into one without connections of its own: each of its connections is a {Connection}, which shares a client with all
    # others of the same settings. Include it in a subclass.
    module Adapter
      include Executing
      include AdvisoryLocks

      def self.included(adapter) # :nodoc:
        super
        adapter.set_callback(:checkin, :after, :release_connection)
      end

      # Sends nothing: the client replaces lost connections. The connection of an open transaction is checked. What is active counts as verified, as with
      # the stock adapter: the reaper of ActiveRecord 8.1 checks those again that were not verified for long.
      def active?
        @lock.synchronize do
          next false unless connected? && @raw_connection.status == ::PG::CONNECTION_OK

          verified!
          true
        end
      end

      def reset! # :nodoc:
        @lock.synchronize do
          return connect! unless @raw_connection

          @raw_connection.reset
          clear_cache!(new_connection: true)
          reset_transaction
          configure_connection
        end
      end

      def disconnect! # :nodoc:
        @lock.synchronize do
          super
        ensure
          release_client
        end
      end

      def discard! # :nodoc:
        CLIENTS.forget(@shared) if @shared
        @shared = @raw_connection = nil
      end

      # The primary's write position, for {PositionResolver}: see <tt>db.position</tt>.
      #
      # @return [String]
      def position
        @lock.synchronize do
          verify!
          @shared.client.position
        end
      end

      # @return [Connection]
      def raw_connection # :nodoc:
        SequelPgGuard.begin
        super
      end

      # ActiveRecord calls it with its pool's lock held. If the client has no connection yet, it is called before that: callers that have the
      # connections may wait for the lock.
      def database_version # :nodoc:
        @reported_version ||= with_raw_connection(materialize_transactions: false, &:server_version)
        super
      end

      # Whether the outermost transaction is one that cannot be joined.
      def held_open? = transaction_open? && !@transaction_manager.instance_variable_get(:@stack).first.joinable? # :nodoc:

      # There is one for all connections of a client.
      def reload_type_map # :nodoc:
        @lock.synchronize do
          @type_map = ::ActiveRecord::Type::HashLookupTypeMap.new
          initialize_type_map
          @types.type_map = @type_map
        ensure
          @type_map = nil
        end
      end

      def lease # :nodoc:
        super.tap { lease_holder.begin(@owner) }
      end

      def steal! # :nodoc:
        super.tap { lease_holder.begin(@owner) }
      end

      # Leaves no session state for the connection's next user. A transaction that no other can join must be ended by its owner, whatever happens in
      # between: tests are wrapped in such transactions. Any other was forgotten, and is ended here, in ActiveRecord as on the server.
      def release_connection # :nodoc:
        return if held_open?

        end_forgotten_transaction if transaction_open?
        return unless @raw_connection&.pinned?

        @raw_connection.reset
        @schema_search_path = nil
      end

      private

      # The map that is being loaded, or the one for all; also after the connection has ended, for results that it has returned.
      def type_map = @type_map || @types&.type_map

      def connect
        Isolation.check
        @raw_connection = nil
        release_client
        @zone = default_timezone
        @shared = CLIENTS.take(Settings.new(@config, timezone: @zone, dates: decode_dates))
        @types = @shared
        @raw_connection = Connection.new(@shared.client, @shared.settings.config, lease_holder, dates: decode_dates, reading: reading?)
        @raw_connection.default_timezone = @zone
        @type_map_for_results = ResultTypes.queried(@raw_connection.type_map_for_results)
      end

      # In an entry with `replicas: true`, the reading role queries the replicas.
      def reading? = @config[:replicas].to_s == "true" && pool.respond_to?(:role) && pool.role == ::ActiveRecord.reading_role

      # The pool has leased the connection before it connects.
      def lease_holder = @lease_holder ||= LeaseHolder.new

      def reconnect
        return connect unless @raw_connection && !@raw_connection.finished?

        @raw_connection.reset
      end

      def end_forgotten_transaction
        logger&.warn("a transaction was open when its connection went back to ActiveRecord's pool: it is rolled back")
        rollback_transaction while transaction_open?
      rescue ::ActiveRecord::ActiveRecordError
        reset_transaction # its connection is lost, and so is the transaction
      end

      def release_client
        shared = @shared
        @shared = nil
        CLIENTS.release(shared) if shared
      end

      # Settings need no statement: every connection of the client was started with them.
      def configure_connection
        check_version
        reload_type_map unless type_map
        return if ::ActiveRecord.db_warnings_action.nil?

        @raw_connection.set_notice_receiver { |notice| @notice_receiver_sql_warnings << warning(notice) }
      end

      def warning(notice)
        fields = [::PG::PG_DIAG_MESSAGE_PRIMARY, ::PG::PG_DIAG_SQLSTATE, ::PG::PG_DIAG_SEVERITY].map { |code| notice.error_field(code) }
        ::ActiveRecord::SQLWarning.new(*fields, nil, @pool)
      end

      # The application has changed ActiveRecord's default time zone. The session follows: by another client, or in a transaction by a setting.
      def update_typemap_for_default_timezone
        return if @zone == default_timezone || @raw_connection.nil?

        if @raw_connection.pinned?
          @raw_connection.default_timezone = @zone = default_timezone
          reconfigure_connection_timezone
        else
          connect
          configure_connection
        end
      end
    end
  end
end
