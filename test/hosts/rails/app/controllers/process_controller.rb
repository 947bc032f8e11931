# frozen_string_literal: true

# What tests ask about the process that serves them.
class ProcessController < ApplicationController
  def show
    render json: { pid: Process.pid, loaded_by: Chat::LOADED_BY, adapter: Room.lease_connection.class.name, **Room.connection_pool.stat.slice(:busy, :dead) }
  end

  def libpq
    PG.connect
    head :ok
  rescue NoLibpq::Opened => error
    render plain: error.message, status: :forbidden
  end

  # Waits in a transaction for the holder of the lock.
  def wait
    Room.transaction { Room.lease_connection.execute("SELECT pg_advisory_xact_lock(7)") }
    render plain: "waited"
  end
end
