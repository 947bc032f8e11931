# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    module Parameters
      class RangeLiteralTest < TestCase
        def test_ends
          { 1..2 => '["1","2"]', 1...2 => '["1","2")', (1..) => '["1",]', (..2) => '[,"2"]', (...2) => '[,"2")', (nil..nil) => "[,]",
            ("a\"".."b\\") => '["a\\"","b\\\\"]', (-Float::INFINITY..Float::INFINITY) => '["-Infinity","Infinity"]' }
            .each { |range, literal| assert_equal literal, convert(range, 0) }
        end

        def test_bounds_follow_the_ranges_type
          range = Time.new(2024, 1, 1, 1, 0, 0, "+01:00")...Time.utc(2024, 2, 1)
          assert_equal '["2024-01-01 00:00:00+00","2024-02-01 00:00:00+00")', convert(range, kind(1114))
          assert_equal '["2024-01-01 00:00:00+00","2024-02-01 00:00:00+00")', convert(range, kind(1184))
          assert_equal '["2024-01-01T01:00:00+01:00","2024-02-01T00:00:00+00:00")', convert(range, 50_000)
          assert_equal '["2024-01-01","2024-02-01"]', convert(Date.new(2024)..Date.new(2024, 2), kind(1082))
        end

        def test_ranges_that_ruby_has_not
          assert_equal '("1","2"]', convert(OpenRange.new(1, 2), kind(23))
          assert_equal '("1","2")', convert(OpenRange.new(1, 2, exclude_end: true), 0)
          assert_equal "empty", convert(OpenRange::EMPTY, 0)
        end

        def test_the_server_reads_them
          { "int4range" => [1...10, "[1,10)"], "numrange" => [BigDecimal("1.5").., "[1.5,)"],
            "daterange" => [Date.new(2024)..Date.new(2024, 2), "[2024-01-01,2024-02-02)"], "tstzrange" => [(nil..nil), "(,)"] }
            .each do |type, (range, read)|
              assert_equal read, postgres_server.psql("SELECT '#{convert(range, 0)}'::#{type}").chomp
            end
        end

        private

        def kind(bound) = Types::RangeKind.new(Types::Entry.new(bound, false, nil))

        def convert(range, oid) = Parameters.convert([range], [oid]).first
      end
    end
  end
end
