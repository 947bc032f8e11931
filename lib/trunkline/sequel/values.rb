# frozen_string_literal: true

module Sequel
  module Trunkline
    # Converts the server's values to Ruby's: the connection decodes them unless Sequel differs; else Sequel's conversion procs do, which take the
    # server's text.
    module Values
      # bytea.
      BLOB = ->(text) { Sequel::SQL::Blob.new(::Trunkline::Postgres.decode(17, false, 0, text)) }

      # date.
      DATE = ->(text) { ::Trunkline::Postgres.decode(1082, false, 0, text) }

      # OID => Sequel's default converter, for types that a connection decodes to the same value: bool, bigint, smallint, integer, oid, real, double
      # precision, numeric.
      DECODED = [16, 20, 21, 23, 26, 700, 701, 1700].to_h { |oid| [oid, Sequel::Postgres::CONVERSION_PROCS.fetch(oid)] }.freeze
      private_constant :DECODED

      # The conversion procs of a Database. Reports a change that affects connections.
      class Procs < Hash
        # @param procs [Hash{Integer => #call}]
        # @yield when the converter of a type changes that connections have decoded or will decode
        def initialize(procs, &changed)
          super(&nil) # a block would be Hash's default proc
          merge!(procs)
          @changed = changed
        end

        def []=(oid, converter)
          super
          @changed&.call if DECODED.key?(oid)
        end
        alias store []=

        def delete(oid)
          super.tap { @changed.call if DECODED.key?(oid) }
        end
      end

      module_function

      # @param procs [Hash{Integer => #call}]
      # @return [Hash] the client's `decode`: see {::Trunkline::Postgres::Querying#with}
      def decoding(procs) = { default: :text, **DECODED.filter_map { |oid, default| [oid, :value] if procs[oid].equal?(default) }.to_h }

      # @param procs [Hash{Integer => #call}]
      # @param timestamps [Timestamps]
      # @param types [Array<Integer>] OIDs of a result's columns
      # @return [Array<#call, nil>, nil] converters of each column's values; nil: none is needed
      def converters(procs, timestamps, types)
        converters = types.map do |oid|
          converter = procs[oid]
          next if converter.nil? || converter.equal?(DECODED[oid])

          converter.equal?(timestamps.converter) ? timestamps.reader : converter
        end
        converters if converters.any?
      end
    end
  end
end
