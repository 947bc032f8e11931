# frozen_string_literal: true

module Sequel
  module Trunkline
    # What turns the server's values into Ruby's: the connection itself where Sequel has nothing else in mind; else Sequel's
    # conversion procs, which take the server's text.
    module Values
      # bytea.
      BLOB = ->(text) { Sequel::SQL::Blob.new(::Trunkline::Postgres.decode(17, false, 0, text)) }

      # date.
      DATE = ->(text) { ::Trunkline::Postgres.decode(1082, false, 0, text) }

      # OID => what Sequel would convert its values by, and a connection does as well: bool, bigint, smallint, integer, oid, real,
      # double precision, numeric.
      DECODED = [16, 20, 21, 23, 26, 700, 701, 1700].to_h { |oid| [oid, Sequel::Postgres::CONVERSION_PROCS.fetch(oid)] }.freeze
      private_constant :DECODED

      # The conversion procs of a Database, which tell when one is changed that matters to connections.
      class Procs < Hash
        # @param procs [Hash{Integer => #call}]
        # @yield when a type is converted otherwise from now on, that connections have decoded or will
        def initialize(procs, &changed)
          super(&nil) # a block would be for what is not there
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
      # @return [Hash] how a client is to decode: see {::Trunkline::Postgres::Querying#with}
      def decoding(procs) = { default: :text, **DECODED.filter_map { |oid, default| [oid, :value] if procs[oid].equal?(default) }.to_h }

      # @param procs [Hash{Integer => #call}]
      # @param timestamps [Timestamps]
      # @param types [Array<Integer>] OIDs of a result's columns
      # @return [Array<#call, nil>, nil] what converts each column's values; nil where none needs it
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
