# frozen_string_literal: true

require_relative "../trunk/lock"

module Trunkline
  module ActiveRecord
    # The clients of this process: all connections that ActiveRecord takes for its own, to one database and with the same settings,
    # share one. It is closed when the last of them is.
    class Clients # :nodoc:
      # A client, what ActiveRecord has learned of its server's types, and how many use it.
      Shared = Struct.new(:settings, :client, :type_map, :users)

      def initialize
        @lock = Lock.new
        @shared = {}
      end

      # @return [String] how many clients there are
      def inspect = "#<#{self.class} #{@shared.size}>"

      # @param settings [Settings]
      # @return [Shared]
      def take(settings)
        @lock.synchronize do
          shared = @shared[settings] ||= Shared.new(settings, settings.client, nil, 0)
          shared.users += 1
          shared
        end
      end

      # @param shared [Shared] what {#take} returned
      def release(shared)
        shared.client.close if forget(shared)
      end

      # In a child of the process that took it: what it holds is the parent's.
      #
      # @return [Shared, nil] it, where it is not used any more
      def forget(shared)
        @lock.synchronize do
          shared.users -= 1
          @shared.delete(shared.settings) if shared.users.zero?
        end
      end
    end
    private_constant :Clients
  end
end
