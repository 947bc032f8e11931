# frozen_string_literal: true

module Sequel
  module Trunkline
    # Extensions of Sequel's that reach into its own pools, or look at the stack of callers.
    module Extending
      # What works on a pool that lends each caller a connection, and what to use in its place.
      REFUSED = {
        activerecord_connection: "Sequel's own adapter for it, Sequel.connect(adapter: Sequel::Postgres::Database, extensions: :activerecord_connection), " \
                                 "over ActiveRecord's connections, which may be this library's",
        connection_expiration: "the option max_lifetime: (seconds), which replaces connections by age",
        temporarily_release_connection: "transactions without it: callers share the connections, and a test that needs one for all threads runs in one transaction of Sequel's"
      }.freeze
      LIBRARY = File.expand_path("../..", __dir__)
      private_constant :REFUSED, :LIBRARY

      # As Sequel's.
      #
      # @param names [Array<Symbol>]
      # @raise [Sequel::Error] one of them works on pools that lend each caller a connection
      def extension(*names)
        name = names.find { |one| REFUSED.key?(one) }
        raise Sequel::Error, "the extension #{name} works on connections that a pool lends, and this adapter's are shared: use #{REFUSED[name]}" if name

        super(*names.reject { |one| one == :pg_streaming && stream_here })
      end

      private

      # The extension of sequel_pg, if that is there, is for connections of libpq's.
      def stream_here
        require_relative "streaming"
        extend(Streaming) unless is_a?(Streaming)
        true
      end

      # The extension caller_logging looks here for the first line of the application's own.
      def caller(start = 1, length = nil)
        lines = super(start + 1).reject { |line| line.start_with?(LIBRARY) }
        length ? lines.first(length) : lines
      end

      def connection_pool_default_options = super.merge(pool_class: Pool)

      def adapter_initialize
        super
        return if pool.is_a?(Pool)

        raise Sequel::Error, "pool_class: cannot be chosen with this adapter, whose connections are shared: leave it out; max_connections: says how many there may be"
      end
    end
  end
end
