# frozen_string_literal: true

require_relative "../trunk/lock"
require_relative "types/catalogue"
require_relative "types/finishers"

module Trunkline
  module Postgres
    # What a client knows of its server's types beyond the built-in ones, and the last step of decoding, which needs
    # Ruby and therefore runs in the fiber or thread that asked. One per client; any thread or fiber may use it.
    class Types
      # @param oid [Integer] of a built-in type
      # @return [#call, nil] makes the final value of what C decoded (nil stays nil); nil: that is final
      def self.finisher(oid)
        Finishers::BY_TYPE[oid]
      end

      def initialize
        @lock = Lock.new
        @resolved = {}.freeze
      end

      # Looks up in pg_type those of the types that are neither built in nor known yet, all of them in one query.
      #
      # @param oids [Array<Integer>]
      # @yieldparam sql [String]
      # @yieldparam params [Array<String>]
      # @yieldreturn [Array<Array>] rows, decoded; not called when nothing is missing
      # @return [Hash{Integer => Array(Integer, Boolean)}] for each the built-in type that its text is read as, and
      #   whether as an array of it
      def resolve(oids)
        missing = oids.uniq.reject { |oid| known?(oid) }
        remember(Catalogue.new(yield(*Catalogue.query(missing))).resolve(missing)) unless missing.empty?
        oids.to_h { |oid| [oid, type(oid)] }
      end

      # @param oid [Integer]
      # @return [Boolean] whether it is built in or has been resolved
      def known?(oid)
        !type(oid).nil?
      end

      # @param oid [Integer] of any type
      # @return [#call, nil] as {.finisher}, for what C decoded as the type that {#resolve} tells; nil also for a type
      #   that is not {#known?}
      def finisher(oid)
        type = type(oid)
        type && Finishers::BY_TYPE[Catalogue.builtin_oid(*type)]
      end

      # @param oids [Array<Integer>] types of a statement's parameters
      # @return [Array<Integer>] the same with built-in types in place of domains, and of arrays of domains and enums,
      #   as far as resolved: what {Parameters.convert} wants
      def parameter_oids(oids)
        oids.map do |oid|
          type = @resolved[oid]
          type && type != Catalogue::SERVER_TEXT ? Catalogue.builtin_oid(*type) : oid
        end
      end

      private

      # Takes no lock: it sees the old Hash or the new one.
      def type(oid)
        @resolved[oid] || Postgres.builtin_type(oid)&.first(2)
      end

      def remember(learned)
        @lock.synchronize { @resolved = @resolved.merge(learned).freeze }
      end
    end
  end
end
