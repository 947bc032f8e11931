# frozen_string_literal: true

require "test_helper"
require "pg"
require "support/decoded_values"
require "support/typed_values"

module Trunkline
  # The same values from a server in both formats, alone and in arrays, and as the pg gem reads them.
  class AgreementTest < TestCase
    include DecodedValues

    # The pg gem's decoders of text, where the two agree on the kind of value.
    PEERS = {
      "bool" => ::PG::TextDecoder::Boolean, "int2" => ::PG::TextDecoder::Integer, "int4" => ::PG::TextDecoder::Integer,
      "int8" => ::PG::TextDecoder::Integer, "oid" => ::PG::TextDecoder::Integer, "float4" => ::PG::TextDecoder::Float,
      "float8" => ::PG::TextDecoder::Float, "numeric" => ::PG::TextDecoder::Numeric, "text" => ::PG::TextDecoder::String,
      "varchar" => ::PG::TextDecoder::String, "bpchar" => ::PG::TextDecoder::String, "bytea" => ::PG::TextDecoder::Bytea,
      "uuid" => ::PG::TextDecoder::String, "timestamp" => ::PG::TextDecoder::TimestampUtc,
      "timestamptz" => ::PG::TextDecoder::TimestampWithTimeZone
    }.freeze

    INFINITE = %w[infinity -infinity].freeze # the pg gem leaves these as Strings

    def setup
      @connection = ::PG.connect(postgres_server.uri)
      @connection.exec("SET extra_float_digits = 3; SET TimeZone = 'Europe/Berlin'; SELECT setseed(0.25)")
    end

    def teardown
      @connection.close
    end

    def test_text_against_binary
      TypedValues.queries.each do |type, query|
        each_value(query) do |oid, text, bytes|
          assert_same_value decode(oid, 0, text), decode(oid, 1, bytes), "#{type} #{text&.slice(0, 80).inspect}"
        end
      end
    end

    def test_arrays_in_text_against_binary
      TypedValues.queries.each do |type, query|
        flat = "SELECT array_agg(value) FROM (#{query}) AS q"
        nested = "SELECT array_agg(ARRAY[[value, NULL], [NULL, value]]) FROM (#{query}) AS r"
        each_value("#{flat} UNION ALL #{nested} UNION ALL SELECT '{}'") do |oid, text, bytes|
          assert_same_value decode(oid, 0, text), decode(oid, 1, bytes), "#{type}[]"
        end
      end
    end

    def test_arrays_hold_what_single_values_are
      TypedValues.queries.each do |type, query|
        rows = fetch("SELECT value, array_agg(value) OVER (ROWS CURRENT ROW) FROM (#{query}) AS q", 0)
        rows.each_row do |value, array|
          assert_same_value [decode(rows.ftype(0), 0, value)], decode(rows.ftype(1), 0, array), type
        end
      end
    end

    def test_bytea_in_escape_notation
      @connection.exec("SET bytea_output = 'escape'")
      each_value(TypedValues.queries["bytea"]) do |oid, text, bytes|
        assert_same_value decode(oid, 0, text), decode(oid, 1, bytes)
      end
    end

    def test_against_the_pg_gem
      PEERS.each do |type, decoder|
        peer = decoder.new
        each_value(TypedValues.queries[type]) do |oid, text, _|
          next if text.nil? || INFINITE.include?(text)

          assert same?(peer.decode(text), decode(oid, 0, text)), "#{type} #{text.slice(0, 80)}"
        end
      end
    end

    # Date counts in the Julian calendar before the reform, and so does the pg gem; the server does not.
    def test_dates_against_the_pg_gem
      peer = ::PG::TextDecoder::Date.new
      each_value(TypedValues.queries["date"]) do |oid, text, _|
        next if text.nil? || INFINITE.include?(text) || text.end_with?("BC") || text < "1582-10-15"

        assert_equal peer.decode(text), decode(oid, 0, text) if text.size == 10
      end
    end

    # But for IPv6 addresses that end as IPv4 ones, which the pg gem does not read.
    def test_addresses_against_the_pg_gem
      assert_finished_as(::PG::TextDecoder::Inet.new, %w[inet cidr]) { |text| !text&.match?(/:.*\./) }
    end

    def test_documents_against_the_pg_gem
      assert_finished_as(::PG::TextDecoder::JSON.new, %w[json jsonb]) { true }
    end

    private

    def fetch(query, format)
      @connection.exec("SELECT setseed(0.25)")
      @connection.exec_params(query, [], format)
    end

    # The same rows in both formats: random() begins anew for each.
    def each_value(query)
      texts = fetch(query, 0)
      texts.column_values(0).zip(fetch(query, 1).column_values(0)) { |text, bytes| yield texts.ftype(0), text, bytes }
    end

    # What is left for the caller's own fiber included.
    #
    # @param peer [PG::SimpleDecoder]
    # @yieldparam text [String, nil]
    # @yieldreturn [Boolean] whether the pg gem reads it
    def assert_finished_as(peer, types)
      types.each do |type|
        each_value(TypedValues.queries[type]) do |oid, text, bytes|
          finish = Postgres::Types.finisher(oid)
          next unless yield(text)

          assert_equal [text && peer.decode(text)] * 2, [finish.call(decode(oid, 0, text)), finish.call(decode(oid, 1, bytes))]
        end
      end
    end

    def decode(oid, format, bytes)
      bytes && Postgres.decode(oid, false, format, bytes)
    end
  end
end
