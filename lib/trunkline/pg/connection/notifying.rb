# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # Notifications of the channels of LISTEN, with the methods of PG::Connection.
      module Notifying
        # Waits for a notification. From LISTEN on, the connection is a reserved one.
        #
        # @param timeout [Numeric, nil] seconds; nil: no limit
        # @yieldparam channel [String]
        # @yieldparam pid [Integer] process ID of the backend that sent it
        # @yieldparam payload [String, nil] nil: it is empty
        # @return [String, nil] the channel; nil: none arrived in time
        # @raise [PG::Error]
        def wait_for_notify(timeout = nil)
          @session.reserve
          notification = @session.wait_for_notification(timeout) or return
          yield notification.channel, notification.pid, (notification.payload unless notification.payload.empty?) if block_given?
          notification.channel
        rescue ::Trunkline::Error => error
          raise translated(error)
        end
        alias notifies_wait wait_for_notify

        # @return [Hash{Symbol => Object}, nil] a notification that has arrived: relname, be_pid and extra; nil: none
        # @raise [PG::Error]
        def notifies
          told = nil
          wait_for_notify(0) { |channel, pid, payload| told = { relname: channel, be_pid: pid, extra: payload.to_s } }
          told
        end
      end
    end
  end
end
