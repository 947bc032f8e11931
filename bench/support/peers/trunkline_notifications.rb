# frozen_string_literal: true

require "trunkline"
require_relative "../notified_load"

module Trunkline
  module Bench
    module Peers
      # A subscription of a client that others ask meanwhile.
      class TrunklineNotifications
        include NotifiedLoad

        private

        def listening
          subscription = client.listen(CHANNEL)
          yield -> { subscription.wait.payload }
        ensure
          subscription.close
        end

        def ask(_caller, id) = client.query(Accounts::SELECT, id)

        def client = @client ||= Trunkline.postgres(@uri)
      end
    end
  end
end
