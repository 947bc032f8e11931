# frozen_string_literal: true

require_relative "registration"

module Trunkline
  module ActiveRecord
    # Adds advice to the error that a `pool:` below the number of threads causes, in ActiveRecord's pools.
    module PoolAdvice # :nodoc:
      # @param pools [Class] ActiveRecord's
      def self.begin(pools) = pools.prepend(self)

      # @raise [ActiveRecord::ConnectionTimeoutError] all of the pool's connections were in use; the message contains the line for database.yml
      def checkout(...)
        super
      rescue ::ActiveRecord::ConnectionTimeoutError => error
        raise unless Registration.ours?(db_config.adapter) && error.message.include?("pool")

        raise error.class.new("#{error.message}. pool is #{size} in database.yml, and more threads or fibers than that use the database at once: with this adapter " \
                              "a connection of ActiveRecord's is none of the server's, so write as many as there may be, for instance pool: 1000. " \
                              "The server's are counted by max_server_connections.", connection_pool: self)
      end
    end
    PoolAdvice.begin(::ActiveRecord::ConnectionAdapters::ConnectionPool)
    private_constant :PoolAdvice
  end
end
