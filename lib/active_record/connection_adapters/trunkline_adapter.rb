# frozen_string_literal: true

begin
  gem "pg", "~> 1.1"
rescue LoadError => error
  raise LoadError, "#{error.message}. adapter: trunkline takes names and constants from pg, though no connection: add `gem \"pg\"` to the Gemfile."
end
require "active_record/connection_adapters/postgresql_adapter"
require "trunkline"
require "trunkline/active_record/registered_late"
require "trunkline/active_record/adapter"

module ActiveRecord
  module ConnectionAdapters
    # The PostgreSQL adapter on Trunkline's connections: `adapter: trunkline` in database.yml. See guides/rails.md.
    class TrunklineAdapter < PostgreSQLAdapter
      include Trunkline::ActiveRecord::Adapter

      # Otherwise the stock adapter's types would be searched under this class's name.
      def self.native_database_types = PostgreSQLAdapter.native_database_types # :nodoc:

      {
        bit: OID::Bit, bit_varying: OID::BitVarying, binary: OID::Bytea, cidr: OID::Cidr, date: OID::Date, datetime: OID::DateTime,
        decimal: OID::Decimal, enum: OID::Enum, hstore: OID::Hstore, inet: OID::Inet, interval: OID::Interval, jsonb: OID::Jsonb,
        money: OID::Money, point: OID::Point, legacy_point: OID::LegacyPoint, uuid: OID::Uuid, vector: OID::Vector, xml: OID::Xml
      }.each { |name, type| ActiveRecord::Type.register(name, type, adapter: :trunkline) }
      ActiveRecord::Type.add_modifier({ array: true }, OID::Array, adapter: :trunkline)
      ActiveRecord::Type.add_modifier({ range: true }, OID::Range, adapter: :trunkline)
    end
    ActiveSupport.run_load_hooks(:active_record_trunklineadapter, TrunklineAdapter)
  end
end
