# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # The lock of migrations. A session lock is not possible behind a pooler that gives each transaction another server session: there a transaction
    # takes the lock, and stays open without other statements until it is released.
    module AdvisoryLocks
      def get_advisory_lock(lock_id) # :nodoc:
        super
      rescue ::ActiveRecord::ActiveRecordError => error
        raise unless error.cause.is_a?(SharedStateError) || error.cause&.cause.is_a?(SharedStateError)

        lock_by_transaction(lock_id)
      end

      def release_advisory_lock(lock_id) # :nodoc:
        holder = @lock_holders&.delete(lock_id) or return super

        holder.alive?
      ensure
        holder&.reset
      end

      private

      def lock_by_transaction(lock_id)
        holder = Postgres::AdapterInterface.of(@shared.client).virtual_session("a migration's lock", holder: lease_holder)
        holder.query("BEGIN", [])
        got = holder.query("SELECT pg_catalog.pg_try_advisory_xact_lock(#{Integer(lock_id)})", []).value
        (@lock_holders ||= {})[lock_id] = holder if got
        got
      ensure
        holder.reset if holder && !got
      end
    end
    private_constant :AdvisoryLocks
  end
end
