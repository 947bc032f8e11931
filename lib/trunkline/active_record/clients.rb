# frozen_string_literal: true

require_relative "../trunk/lock"

module Trunkline
  module ActiveRecord
    # The clients of this process: all connections of ActiveRecord to one database with the same settings share one. It is closed with the last of
    # them.
    class Clients # :nodoc:
      # A client, ActiveRecord's map of its server's types, and the number of users.
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

      # Called in a child process: the client belongs to the parent.
      #
      # @return [Shared, nil] the same, if it is not used any more
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
