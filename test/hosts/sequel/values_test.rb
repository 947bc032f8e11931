# frozen_string_literal: true

require "test_helper"
require "support/sequel_host"

# What comes back is what Sequel's own adapter returns.
class SequelValuesTest < Trunkline::TestCase
  include Trunkline::SequelHost

  EXTENSIONS = %i[pg_array pg_json pg_range pg_row pg_inet pg_interval].freeze
  VALUES = <<~SQL
    true, 1::int2, 2::int4, 3::int8, 4::oid, 1.5::float4, 'NaN'::float8, '-Infinity'::float8, 1.250::numeric, 'NaN'::numeric,
    'text'::text, 'c'::char(3), 'v'::varchar, 'n'::name, '\\x00ff'::bytea, date '2024-02-29', time '12:34:56.789',
    timestamp '2024-02-29 12:34:56.789012', timestamp '0099-02-28 12:34:56', timestamptz '2024-02-29 12:34:56.789+05:30',
    interval '1 year 2 days 03:04:05.5', '{"a":[1,null]}'::json, '[1,{"b":"c"}]'::jsonb, '192.168.0.1'::inet, '10.0.0.0/8'::cidr,
    '550e8400-e29b-41d4-a716-446655440000'::uuid, ARRAY[1,2,NULL], ARRAY[['a','b"'],['c,',NULL]], int4range(1,5), ROW(1,'a'),
    '12:34:56+02'::timetz, '1'::bit(3), '$1.50'::money, NULL::int
  SQL
  private_constant :EXTENSIONS, :VALUES

  def test_without_extensions = assert_same_values
  def test_with_extensions = assert_same_values(extensions: EXTENSIONS)

  # Within a session backslashes may mean something, also in a text that was made and kept outside of it.
  def test_backslashes_are_quoted_as_the_session_reads_them
    with_sequel do |db|
      values = ["\\", "\\' OR true --", "a\\'b", "\\\\'", "'"]
      kept = values.map { |value| db.select(Sequel.cast(value, :text)).freeze }
      2.times { assert_equal(values, kept.map(&:single_value)) }
      db.synchronize do
        db.run("SET standard_conforming_strings = off; SET escape_string_warning = off")
        assert_equal(values, values.map { |value| db.get(Sequel.cast(value, :text)) })
        assert_equal(values, kept.map(&:single_value))
        assert_equal "\x00\xFF'\\".b, db.get(Sequel.cast(Sequel.blob("\x00\xFF'\\".b), :bytea))
        assert_equal 1, db.from(Sequel.lit("(VALUES ('a\\\\b')) t (v)")).where(Sequel.like(:v, "a\\\\b")).count
      end
      assert_equal(values, kept.map(&:single_value))
    end
  end

  def test_the_zones_of_times
    zones = [nil, :utc, :local]
    zones.product(zones).each do |application, database|
      in_zone(application, database) { assert_same_values(detail: ->(value) { value.is_a?(Time) ? [value, value.utc_offset] : value }) }
    end
  end

  def test_datetimes
    Sequel.datetime_class = DateTime
    assert_same_values
  ensure
    Sequel.datetime_class = Time
  end

  def test_infinite_dates_with_sequels_extension
    both { |db| db.extension(:pg_extended_date_support).convert_infinite_timestamps = :float }
      .each { |db| assert_equal [Float::INFINITY, -Float::INFINITY], db.fetch("SELECT date 'infinity' AS a, timestamp '-infinity' AS b").first.values }
  end

  def test_conversions_of_ones_own
    with_sequel do |db|
      assert_equal 5, db.get(Sequel.lit("5"))
      db.add_conversion_proc(23) { |text| "<#{text}>" }
      assert_equal ["<5>", ["<5>"]], [db.get(Sequel.lit("5")), db.fetch("SELECT 5 AS n").map(:n)]
      db.conversion_procs.delete(23)
      assert_equal "5", db.get(Sequel.lit("5"))
    end
  end

  def test_parameters
    values = { i: 5, f: 1.5, d: BigDecimal("1.25"), s: "it's", b: Sequel.blob("\x00\xFF".b), t: Time.utc(2024, 2, 29, 12), n: nil, y: true }
    types = { i: "int8", f: "float8", d: "numeric", s: "text", b: "bytea", t: "timestamp", n: "int4", y: "bool" }
    rows = both.map do |db|
      names = values.keys.map { |name| Sequel.cast(:"$#{name}", types[name]).as(name) }
      db.select(*names).call(:first, values)
    end
    assert_equal rows[1], rows[0]
    assert_kind_of Sequel::SQL::Blob, rows[0][:b]
  end

  def test_values_that_stand_in_the_sql
    values = [5, 1.5, BigDecimal("1.25"), "it's \\ %", Sequel.blob("\x00\xFF'".b), Date.new(2024, 2, 29), nil, true]
    rows = both.map { |db| db.select(*values.each_with_index.map { |value, at| Sequel.as(value, :"c#{at}") }).first }
    assert_equal rows[1], rows[0]
  end

  def test_ways_to_gather_rows
    with_columns("id int, name text, born date") do |table|
      psql("INSERT INTO #{table} VALUES (1, 'Ada', '1815-12-10'), (2, 'Grace', '1906-12-09'), (3, 'Ada', NULL)")
      ways = [
        ->(ds) { ds.map(:name) }, ->(ds) { ds.map(%i[born id]) }, ->(ds) { ds.map(:nothing) }, ->(ds) { ds.map { |row| row[:id] } },
        ->(ds) { ds.as_hash(:id, :born) }, ->(ds) { ds.as_hash(:name, %i[id name]) }, ->(ds) { ds.as_hash(%i[id name], :born) }, ->(ds) { ds.as_hash(:id) },
        ->(ds) { ds.to_hash_groups(:name, :id) }, ->(ds) { ds.to_hash_groups(:name) }, ->(ds) { ds.as_hash(:id, :name, hash: { 0 => "" }) },
        ->(ds) { ds.select_map(:born) }, ->(ds) { ds.select_map(%i[id born]) }, ->(ds) { ds.select_hash(:name, :born) },
        ->(ds) { ds.select_hash_groups(:name, :born) }, ->(ds) { ds.where(false).select_map(:id) }, ->(ds) { ds.select_order_map(:id) }
      ]
      stock, own = both.reverse.map { |db| ways.map { |way| way.call(db[table].order(:id)) } }
      stock.zip(own).each { |expected, actual| assert_equal expected, actual }
    end
  end

  def test_dates_that_sequels_own_adapter_reads_wrongly
    with_sequel do |db|
      dates = ["infinity", "-infinity", "0044-03-15 BC"].map { |text| db.get(Sequel.lit("'#{text}'::date")) }
      assert_equal [Float::INFINITY, -Float::INFINITY, Date.new(-43, 3, 15, Date::GREGORIAN)], dates
    end
    with_stock { |db| assert_equal 44, db.get(Sequel.lit("'0044-03-15 BC'::date")).year }
  end

  private

  def teardown
    @opened&.each { |db| db.disconnect && db.client.close if db.respond_to?(:client) }
    super
  end

  # @return [Array<Sequel::Database>] over this client, and over the pg gem
  def both
    @opened = %w[trunkline postgres].map { |adapter| Sequel.connect(postgres_server.uri.sub(/\A\w+:/, "#{adapter}:"), keep_reference: false) }
    @opened.each { |db| yield db if block_given? }
  end

  def assert_same_values(extensions: [], detail: ->(value) { value })
    own, stock = [:with_sequel, :with_stock].map do |connect|
      send(connect) do |db|
        db.extension(*extensions)
        db.fetch("SELECT #{VALUES.split(/,\s+(?![^(\[{]*[)\]}])/).each_with_index.map { |value, at| "#{value} AS c#{at}" }.join(", ")}").first
      end
    end
    stock.each { |name, value| assert_equal seen(value, detail), seen(own[name], detail), name }
  end

  # Blobs inspect with their object id, and NaN is not equal to itself.
  def seen(value, detail) = [value.class, value.is_a?(String) ? value.b : detail.call(value).inspect]

  def in_zone(application, database)
    before = ENV.fetch("TZ", nil)
    ENV["TZ"] = "Europe/Vienna"
    Sequel.application_timezone = application
    Sequel.database_timezone = database
    yield
  ensure
    ENV["TZ"] = before
    Sequel.application_timezone = Sequel.database_timezone = nil
  end
end
