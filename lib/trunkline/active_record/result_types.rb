# frozen_string_literal: true

module Trunkline
  module ActiveRecord
    # The decoders that the stock adapter registers for results; applications find them as raw_connection.type_map_for_results.
    module ResultTypes # :nodoc:
      DECODERS = {
        16 => ["bool", ::PG::TextDecoder::Boolean], 20 => ["int8", ::PG::TextDecoder::Integer], 21 => ["int2", ::PG::TextDecoder::Integer],
        23 => ["int4", ::PG::TextDecoder::Integer], 26 => ["oid", ::PG::TextDecoder::Integer], 700 => ["float4", ::PG::TextDecoder::Float],
        701 => ["float8", ::PG::TextDecoder::Float], 1184 => ["timestamptz", ::PG::TextDecoder::TimestampWithTimeZone],
        1700 => ["numeric", ::PG::TextDecoder::Numeric]
      }.freeze
      DATE = { 1082 => ["date", ::PG::TextDecoder::Date] }.freeze
      TIMESTAMPS = { utc: ::PG::TextDecoder::TimestampUtc, local: ::PG::TextDecoder::TimestampWithoutTimeZone }.freeze
      TIMESTAMP = 1114 # its OID
      # Also decoded in the adapter's own statements without a model.
      QUERIED = {
        17 => ["bytea", ::PG::TextDecoder::Bytea],
        790 => ["money", ::ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::MoneyDecoder]
      }.freeze
      private_constant :DECODERS, :DATE, :TIMESTAMPS, :TIMESTAMP, :QUERIED

      module_function

      # @param dates [Boolean] whether dates become Ruby's
      # @return [PG::TypeMapByOid] whose timestamps are in UTC
      def map(dates: false) = with({ **DECODERS, **(dates ? DATE : {}) }).add_coder(timestamp(:utc))

      # @param others [PG::TypeMapByOid] of the connection
      # @return [PG::TypeMapByOid] for the queries of {Executing}
      def queried(others) = with(QUERIED).tap { |map| map.default_type_map = others }

      # @param zone [Symbol] :utc or :local
      # @return [PG::Coder] of timestamps without a time zone
      def timestamp(zone) = TIMESTAMPS.fetch(zone).new(oid: TIMESTAMP, name: "timestamp")

      def with(decoders)
        decoders.each_with_object(::PG::TypeMapByOid.new) { |(oid, (name, decoder)), map| map.add_coder(decoder.new(oid: oid, name: name)) }
      end
      private_class_method :with
    end
    private_constant :ResultTypes
  end
end
