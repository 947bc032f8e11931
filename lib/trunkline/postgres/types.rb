# frozen_string_literal: true

require_relative "../trunk/limits"
require_relative "../trunk/lock"
require_relative "types/catalogue"
require_relative "types/finishers"

module Trunkline
  module Postgres
    # The server's types that are not built in, as looked up by a client, and those that its user has registered. One per client; any thread or fiber
    # may use it.
    #
    #   db.types.register("point3d", encode: ->(point) { point.to_a.to_s }) { |text| Point3D.parse(text) }
    class Types
      NAMES = "SELECT name, pg_catalog.to_regtype(name)::pg_catalog.oid FROM pg_catalog.unnest($1::pg_catalog.text[]) AS names (name)"
      private_constant :NAMES

      # @param oid [Integer] of a built-in type
      # @return [#call, nil] makes the final value of what C decoded (nil stays nil); nil: what C decoded is final
      def self.finisher(oid) # :nodoc:
        Finishers::BY_TYPE[oid]
      end

      # The result of a lookup, an Entry, and its epoch; nil: it may be another for other callers.
      Lookup = Struct.new(:entry, :epoch)
      private_constant :Lookup

      # @param most [Integer] types in the cache
      # @param epochs [PlanEpoch] the client's: types of an earlier epoch are looked up again
      # @yieldreturn [Boolean] whether names may mean something else to the calling fiber than to others
      def initialize(most = Limits::DEFAULTS.fetch(:max_types), epochs = PlanEpoch.new, &astray) # :nodoc:
        @lock = Lock.new
        @most = most
        @epochs = epochs
        @astray = astray
        forget
        @registered = {}.freeze
        @builtin = {} # Entry by OID, of those that were used
      end

      # Defines how values of a type are encoded and decoded, also in arrays of it, and in domains on it. The type is looked up when values that need
      # a lookup first occur; register types before that.
      #
      # @param name [String] as in SQL, with its schema or without: "point3d", "geo.point3d", "\"Point3D\""
      # @param encode [#call, nil] takes a parameter for the type, unless it is nil, true, false, a number, String, Symbol, Date, IPAddr, Interval or
      #   TimeOfDay, which are always encoded the same; returns a String that PostgreSQL reads
      # @yieldparam text [String] the server's text of a value, never nil; without a block, that is the value
      # @return [nil]
      # @raise [ArgumentError, TypeError] there is nothing to register
      def register(name, encode: nil, &decode)
        raise TypeError, "the name of a type must be a String, not #{Argument.shown(name)}" unless String === name
        raise ArgumentError, "values of #{name} need a conversion: give a block to decode them, or encode:" unless decode || encode
        raise TypeError, "encode must be callable, not #{Argument.shown(encode)}" unless nil == encode || Argument.responds?(encode, :call)

        @lock.synchronize do
          @registered = { **@registered, name => CustomKind.new(decode, encode) }.freeze
          forget
        end
        nil
      end

      # Looks up those of the types in pg_type that are neither built in nor cached, in one query.
      #
      # @param oids [Array<Integer>]
      # @yieldparam sql [String]
      # @yieldparam params [Array<String>]
      # @yieldreturn [Array<Array>] rows, decoded; not called when nothing is missing
      # @return [Hash{Integer => Array(Integer, Boolean)}] for each, the built-in type as which its text is decoded, and whether it is an array of
      #   that
      # @raise [ConfigError] a registered name is no type
      def resolve(oids, &query) # :nodoc:
        lookups = oids.to_h { |oid| [oid, present(oid)] }
        missing = lookups.filter_map { |oid, lookup| oid unless lookup }
        lookups.update(learned(missing, &query)) unless missing.empty?
        remember(lookups)
        lookups.transform_values { |lookup| lookup.entry.first(2) }
      end

      # Types may have changed since they were looked up: they are looked up again.
      #
      # @param oids [Array<Integer>]
      def look_up_again(oids) # :nodoc:
        known = oids.filter_map { |oid| remembered(oid)&.then { |lookup| [oid, Lookup.new(lookup.entry, nil)] } }.to_h
        @lock.synchronize { @resolved = @resolved.merge(known).freeze }
      end

      # @param oid [Integer]
      # @return [Boolean] whether it is built in or was resolved in the current epoch
      def known?(oid) = !present(oid).nil? # :nodoc:

      # @param oid [Integer] of any type
      # @return [#call, nil] as Entry#finisher, for what C decoded as the type that #resolve returns; nil also if the type is not #known?
      def finisher(oid) = entry(oid)&.finisher # :nodoc:

      # @param oids [Array<Integer>] types of a statement's parameters
      # @return [Array<Integer, #encode>] the same with built-in types in place of domains, and of arrays of domains and enums, as far as resolved,
      #   and encoders for others, as {Parameters.convert} takes them
      def parameter_oids(oids) # :nodoc:
        oids.map do |oid|
          entry = remembered(oid)&.entry
          entry && entry != Catalogue::SERVER_TEXT ? entry.parameter_type : oid
        end
      end

      private

      # Takes no lock: it sees the Hashes before or after a change.
      def entry(oid)
        remembered(oid)&.entry || builtin(oid)
      end

      def builtin(oid) = @builtin[oid] || Postgres.builtin_type(oid)&.then { |base, array,| @builtin[oid] = Entry.new(base, array).freeze }

      # @return [Lookup, nil] of the current epoch
      def present(oid)
        lookup = remembered(oid) or return builtin(oid)&.then { |entry| Lookup.new(entry, nil) }
        lookup if lookup.epoch == @epochs.number
      end

      def remembered(oid) = @resolved[oid] || @earlier[oid]

      def forget = @resolved = @earlier = {}.freeze

      def learned(missing, &query)
        registered = @registered
        epoch = @epochs.number unless !registered.empty? && @astray&.call
        kinds = registered.empty? ? {} : by_oid(registered, yield(NAMES, [array(registered.keys)]))
        Catalogue.new(yield(*Catalogue.query(missing)), kinds).resolve(missing).transform_values { |entry| Lookup.new(entry, epoch) }
      end

      # Types that were dropped are never used again, and the server does not report that. So there are two halves: when the later one is full the
      # earlier one is forgotten, and types that are used again move to the later one. A type that was just resolved stays until as many others were
      # resolved as one half has.
      def remember(lookups)
        return if lookups.all? { |oid, lookup| @resolved[oid].equal?(lookup) || Postgres.builtin_type(oid) }

        @lock.synchronize do
          resolved = @resolved.merge(lookups.reject { |oid, _| Postgres.builtin_type(oid) })
          full = resolved.size > @most / 2
          @earlier = resolved.freeze if full
          @resolved = full ? {}.freeze : resolved.freeze
        end
      end

      def array(names) = "{#{names.map { |name| %("#{name.gsub(/["\\]/) { |special| "\\#{special}" }}") }.join(",")}}"

      def by_oid(registered, rows)
        rows.to_h do |name, oid|
          raise ConfigError, "types.register: there is no type #{name} in this database; with its schema it is found whatever the search_path" unless oid
          raise ConfigError, "types.register: #{name} is built in: choose how it is decoded by decode:" if Postgres.builtin_type(oid)

          [oid, registered.fetch(name)]
        end
      end
    end
  end
end
