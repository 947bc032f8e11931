# frozen_string_literal: true

require_relative "types/catalogue"
require_relative "types/finishers"

module Trunkline
  module Postgres
    # What a client knows of its server's types beyond the built-in ones, and the last step of decoding, which needs Ruby
    # and therefore runs in the fiber or thread that asked. One per client; any thread or fiber may use it.
    class Types
      # @param oid [Integer] of a built-in type
      # @return [#call, nil] makes the final value of what the codec decoded (nil stays nil); nil: nothing to do
      def self.finisher(oid)
        Finishers::BUILTIN[oid]
      end

      def initialize
        @lock = Mutex.new
        @resolved = {}.freeze
        @finishers = {}.freeze
      end

      # Looks up in pg_type those of the types that are neither built in nor known yet, all of them in one query.
      #
      # @param oids [Array<Integer>]
      # @yieldparam sql [String]
      # @yieldparam params [Array<String>]
      # @yieldreturn [Array<Array>] rows, decoded; not called when nothing is missing
      # @return [Hash{Integer => Array(Integer, Boolean)}] for each a built-in type that its text is read as, and whether
      #   as an array of it
      def resolve(oids)
        missing = oids.uniq.reject { |oid| known?(oid) }
        remember(Catalogue.new(yield(*Catalogue.query(missing))).resolve(missing)) unless missing.empty?
        oids.to_h { |oid| [oid, resolved(oid)] }
      end

      # @param oid [Integer]
      # @return [Boolean] whether it is built in or has been resolved
      def known?(oid)
        @resolved.key?(oid) || !Postgres.builtin_type(oid).nil?
      end

      # @param oid [Integer] of any type
      # @return [#call, nil] as {.finisher}; nil also for a type that is not {#known?}
      def finisher(oid)
        Finishers::BUILTIN[oid] || @finishers[oid]
      end

      # @param oids [Array<Integer>] types of a statement's parameters
      # @return [Array<Integer>] the same with built-in types in place of domains, and of arrays of domains and enums, as
      #   far as resolved: what {Parameters.convert} wants
      def parameter_oids(oids)
        oids.map do |oid|
          type = @resolved[oid]
          type && type != Catalogue::SERVER_TEXT ? Catalogue.builtin_oid(*type) : oid
        end
      end

      private

      def resolved(oid)
        @resolved[oid] || Postgres.builtin_type(oid).first(2)
      end

      # Readers take no lock: they see the old Hash or the new one.
      def remember(learned)
        finishers = learned.filter_map { |oid, (base, array)| (callable = Finishers.of_text(base, array)) && [oid, callable] }
        @lock.synchronize do
          @resolved = @resolved.merge(learned).freeze
          @finishers = @finishers.merge(finishers.to_h).freeze
        end
      end
    end
  end
end
