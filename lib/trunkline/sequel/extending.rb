# frozen_string_literal: true

module Sequel
  module Trunkline
    # Handles extensions of Sequel that depend on its own pools, or on the callers' stack.
    module Extending
      # Extensions that need a pool which leases a connection to each caller, and their replacements.
      REFUSED = {
        activerecord_connection: "Sequel's own adapter for it, Sequel.connect(adapter: Sequel::Postgres::Database, extensions: :activerecord_connection), " \
                                 "over ActiveRecord's connections, which may be this library's",
        connection_expiration: "the option max_lifetime: (seconds), which replaces connections by age",
        temporarily_release_connection: "transactions without it: callers share the connections, and a test that needs one for all threads runs in one transaction of Sequel's"
      }.freeze
      LIBRARY = File.expand_path("../..", __dir__)
      private_constant :REFUSED, :LIBRARY

      # The same as Sequel's.
      #
      # @param names [Array<Symbol>]
      # @raise [Sequel::Error] one of them needs a pool that leases a connection to each caller
      def extension(*names)
        name = names.find { |one| REFUSED.key?(one) }
        raise Sequel::Error, "the extension #{name} works on connections that a pool lends, and this adapter's are shared: use #{REFUSED[name]}" if name

        super(*names.reject { |one| one == :pg_streaming && stream_here })
      end

      private

      # The extension of sequel_pg, if installed, is for connections of libpq.
      def stream_here
        require_relative "streaming"
        extend(Streaming) unless is_a?(Streaming)
        true
      end

      # The extension caller_logging calls this for the first line of the application's own code.
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
