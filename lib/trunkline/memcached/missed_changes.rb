# frozen_string_literal: true

require_relative "../trunk/turn"

module Trunkline
  module Memcached
    # Keys that this client has changed on other servers while their own server was down: its values for them are out of date.
    class MissedChanges
      # How many keys. A key has up to 250 bytes: about 4 MB for a server that is down, at most.
      MOST = 10_000
      private_constant :MOST

      def initialize
        @turn = Turn.new
        @stand_ins = {} # by key: the servers that have received its changes
        @closed = @incomplete = @all = false
      end

      # @param key [String] as it is sent
      # @param stand_in [Server] that receives the change
      # @return [Boolean] false: it is too late, as the server is used again
      def add(key, stand_in)
        @turn.take do
          next false if @closed

          if @stand_ins.key?(key) || @stand_ins.size < MOST
            @stand_ins[key] = [*@stand_ins[key]] | [stand_in] # always a new Array: see remove
          else
            @incomplete = true
          end
          true
        end
      end

      # Every value of the server is out of date: it should have been flushed.
      def add_all
        @all = true
      end

      def all? = @all

      # @return [Boolean] whether there are changes whose keys are unknown
      def incomplete? = @incomplete || @all

      # The server was emptied.
      def clear
        @turn.take do
          @stand_ins.clear
          @incomplete = @all = false
        end
      end

      # @return [Array<Array(String, Array<Server>)>] up to that many keys, and the servers that have their changes
      def first(count) = @turn.take { @stand_ins.first(count) }

      # Removes those among them that were not changed since {#first} returned them.
      def remove(entries)
        @turn.take { entries.each { |key, stand_ins| @stand_ins.delete(key) if @stand_ins[key].equal?(stand_ins) } }
      end

      # Accepts no more keys from then on, unless the block raises, which may wait for a connection. Meanwhile changes wait for their turn; if the
      # calling fiber is dropped by its event loop, they continue.
      #
      # @yieldparam entries [Array<Array(String, Array<Server>)>] those that are left
      def close
        @turn.take do |holder|
          yield @stand_ins.to_a
          @closed = true if holder.held?
        end
      end
    end
    private_constant :MissedChanges
  end
end
