# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # What comes to the channels that LISTEN named, as PG::Connection has it.
      module Notifying
        # Waits for a notification. From LISTEN on, the connection is one of the server's.
        #
        # @param timeout [Numeric, nil] seconds; nil: for ever
        # @yieldparam channel [String]
        # @yieldparam pid [Integer] process id of the backend that sent it
        # @yieldparam payload [String, nil] nil: it is empty
        # @return [String, nil] the channel; nil: none has come in time
        # @raise [PG::Error]
        def wait_for_notify(timeout = nil)
          @session.stay
          notification = @session.wait_for_notification(timeout) or return
          yield notification.channel, notification.pid, (notification.payload unless notification.payload.empty?) if block_given?
          notification.channel
        rescue ::Trunkline::Error => error
          raise translated(error)
        end
        alias notifies_wait wait_for_notify

        # @return [Hash{Symbol => Object}, nil] a notification that is there: relname, be_pid and extra; nil: there is none
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
