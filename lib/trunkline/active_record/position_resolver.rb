# frozen_string_literal: true

require "active_record"
require "active_record/middleware/database_selector"
require_relative "read_position"

module Trunkline
  module ActiveRecord
    # For Rails' automatic role switching: a request that writes stores the primary's write position at its end in the session, and later requests of
    # that session that read see everything up to it. It replaces the delay after which a replica is assumed to have replayed a write.
    #
    #   config.active_record.database_selector = {}
    #   config.active_record.database_resolver = Trunkline::ActiveRecord::PositionResolver
    #   config.active_record.database_resolver_context = Trunkline::ActiveRecord::PositionResolver::Session
    class PositionResolver < ::ActiveRecord::Middleware::DatabaseSelector::Resolver
      # The position in the session of a request.
      class Session
        KEY = "trunkline_position"
        private_constant :KEY

        # @param request [ActionDispatch::Request]
        # @return [Session]
        def self.call(request) = new(request.session)

        # @param session [#[], #[]=]
        def initialize(session)
          @session = session
        end

        # @return [String, nil] nil: the session has written nothing
        def position = @session[KEY]

        # @param position [String]
        def position=(position)
          @session[KEY] = position
        end

        # The position is already in the session.
        def save(_response) = nil
      end

      # Reads go to replicas that have replayed the session's writes, or else to the primary.
      def read(&block)
        ReadPosition.hold(context.position) { reading(&block) }
      end

      # Writes of the block, also if it raises, come before the position that is stored.
      def write(&block)
        writing do
          block.call
        ensure
          context.position = ::ActiveRecord::Base.lease_connection.position
        end
      end

      private

      def reading(&block)
        instrumenter.instrument("database_selector.active_record.read_from_replica") do
          ::ActiveRecord::Base.connected_to(role: ::ActiveRecord.reading_role, prevent_writes: true, &block)
        end
      end

      def writing(&block)
        instrumenter.instrument("database_selector.active_record.wrote_to_primary") do
          ::ActiveRecord::Base.connected_to(role: ::ActiveRecord.writing_role, prevent_writes: false, &block)
        end
      end
    end
  end
end
