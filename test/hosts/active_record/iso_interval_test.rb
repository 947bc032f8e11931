# frozen_string_literal: true

require "test_helper"
require "support/active_record_host"
require "active_record/connection_adapters/trunkline_adapter"

module Hosts
  module ActiveRecord
    # What is made of the server's text in one style is what the server writes in the other.
    class IsoIntervalTest < Trunkline::TestCase
      ISO = Trunkline::ActiveRecord.const_get(:IsoInterval)
      SINGLE = ["0", "1 day", "-1 day +02:03:04.5", "1 year 2 mons -3 days 04:05:06.789", "-1 mon", "-0.000001 s", "00:00:00.1", "100:00", "-14 mons", "178000000 years",
                "1 day -00:00:00.000001"].freeze
      # Parts of either sign, some of them nothing.
      RANDOM = <<~SQL
        CREATE FUNCTION pg_temp.part(most float8) RETURNS float8 LANGUAGE sql VOLATILE AS 'SELECT CASE WHEN random() < 0.3 THEN 0 ELSE (random() - 0.5) * most END';
        SELECT setseed(0.5);
        CREATE TEMP TABLE intervals AS SELECT make_interval(months => pg_temp.part(200)::int, days => pg_temp.part(50)::int, secs => pg_temp.part(90000)) AS value
        FROM generate_series(1, 500)
      SQL
      private_constant :ISO, :SINGLE, :RANDOM

      def test_intervals
        by_server(texts: SINGLE) { |own, iso| assert_equal iso, own.map { |text| ISO.of(text) } }
        by_server(setup: RANDOM, from: "SELECT value FROM intervals") do |own, iso|
          assert_equal iso, own.map { |text| ISO.of(text) }
          assert_equal iso, iso.map { |text| ISO.of(text) }
          assert_operator own.uniq.size, :>, 300
        end
      end

      def test_arrays
        ["{}", "{NULL}", "{\"1 day\",NULL,00:00:01}", "{{1 mon},{-2:00}}", "[2:3]={1 day,\"1 day 02:00\"}"].each do |array|
          by_server(texts: [array], type: "interval[]") { |own, iso| assert_equal iso, own.map { |text| ISO.of_array(text) }, array }
        end
      end

      def test_what_is_infinite
        %w[infinity -infinity].each { |text| assert_equal text, ISO.of(text) }
      end

      private

      # @yieldparam own [Array<String>] in the server's style
      # @yieldparam iso [Array<String>] the same in ISO 8601
      def by_server(texts: nil, type: "interval", setup: "", from: "SELECT t::#{type} FROM unnest($1::text[]) t")
        connection = PG.connect(postgres_server.uri)
        connection.exec(setup)
        yield(*%w[postgres iso_8601].map do |style|
          connection.exec("SET IntervalStyle = '#{style}'")
          connection.exec_params(from, [texts && PG::TextEncoder::Array.new.encode(texts)].compact).column_values(0)
        end)
      ensure
        connection&.close
      end
    end
  end
end
