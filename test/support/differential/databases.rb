# frozen_string_literal: true

class Differential
  # Databases by what they are created with and what ALTER DATABASE sets in them.
  module Databases
    # By name: encoding, LC_COLLATE and LC_CTYPE, settings.
    ENCODED = {
      "utf8" => %w[UTF8 C], "latin1" => %w[LATIN1 C], "latin2" => %w[LATIN2 C], "latin9" => %w[LATIN9 C], "win1252" => %w[WIN1252 C],
      "koi8r" => %w[KOI8R C], "euc_jp" => %w[EUC_JP C], "euc_kr" => %w[EUC_KR C], "euc_cn" => %w[EUC_CN C], "sql_ascii" => %w[SQL_ASCII C]
    }.freeze
    # By name, in UTF8 and the locale C: what ALTER DATABASE sets.
    SET = {
      "sql_dmy" => { "DateStyle" => "SQL, DMY" }, "german" => { "DateStyle" => "German" }, "postgres_mdy" => { "DateStyle" => "Postgres, MDY" },
      "iso_ymd" => { "DateStyle" => "ISO, YMD" }, "interval_sql" => { "IntervalStyle" => "sql_standard" },
      "interval_verbose" => { "IntervalStyle" => "postgres_verbose" }, "interval_iso" => { "IntervalStyle" => "iso_8601" },
      "bytea_escape" => { "bytea_output" => "escape" }, "short_floats" => { "extra_float_digits" => "-15" }, "rounded_floats" => { "extra_float_digits" => "0" },
      "tokyo" => { "TimeZone" => "Asia/Tokyo" }, "st_johns" => { "TimeZone" => "America/St_Johns" }, "posix_zone" => { "TimeZone" => "<+0130>-01:30" },
      "australia" => { "timezone_abbreviations" => "Australia" }, "no_schema" => { "search_path" => "" }, "other_schema" => { "search_path" => "other, pg_catalog" },
      "escapes" => { "standard_conforming_strings" => "off", "escape_string_warning" => "off", "backslash_quote" => "on" },
      "no_array_nulls" => { "array_nulls" => "off" }, "null_equals" => { "transform_null_equals" => "on" },
      "quoted" => { "quote_all_identifiers" => "on" }, "xml_document" => { "xmloption" => "document", "xmlbinary" => "hex" },
      "latin_clients" => { "client_encoding" => "LATIN1" }, "read_only" => { "default_transaction_read_only" => "on", "default_transaction_isolation" => "serializable" },
      "custom_plans" => { "plan_cache_mode" => "force_custom_plan" }, "generic_plans" => { "plan_cache_mode" => "force_generic_plan" },
      "odd" => { "DateStyle" => "German, YMD", "IntervalStyle" => "sql_standard", "bytea_output" => "escape", "extra_float_digits" => "-3",
                 "TimeZone" => "Asia/Kathmandu", "standard_conforming_strings" => "off", "client_encoding" => "SQL_ASCII", "search_path" => "other",
                 "array_nulls" => "off" }
    }.freeze
    SHORT = %w[euc_jp sql_ascii odd].freeze
    DEFINITIONS = <<~SQL
      CREATE TYPE mood AS ENUM ('sad', 'happy');
      CREATE DOMAIN positive AS int CHECK (VALUE > 0);
      CREATE TYPE pair AS (a int, b text);
      CREATE TYPE span AS RANGE (subtype = float8);
      CREATE SCHEMA other;
      CREATE TYPE other.mood AS ENUM ('glad', 'sad');
      CREATE TABLE days (day date, moment timestamptz);
      INSERT INTO days VALUES ('2024-02-01', '2024-02-01 12:00:00+00');
    SQL
    # A machine with all locales has some three hundred.
    LOCALES = "SELECT DISTINCT pg_encoding_to_char(collencoding), collcollate FROM pg_collation " \
              "WHERE collprovider = 'c' AND collencoding >= 0 AND collcollate NOT IN ('C', 'POSIX') ORDER BY 2 LIMIT 20"
    CATEGORIES = %w[lc_monetary lc_numeric lc_time lc_messages].freeze
    private_constant :ENCODED, :SET, :SHORT, :DEFINITIONS, :LOCALES, :CATEGORIES

    module_function

    # @param server [Trunkline::Bench::PostgresServer]
    # @param short [Boolean] a few that differ much, not all
    # @return [Hash{String => Array}] by name: encoding, locale, Hash of settings
    def all(server, short: false)
      databases = { **ENCODED, **SET.transform_values { |settings| ["UTF8", "C", settings] } }
      return databases.slice(*SHORT) if short

      { **databases, **in_locales(server) }
    end

    # @yieldparam name [String] of a database that exists for the block
    def create(server, name, encoding, locale, settings = {})
      server.psql("CREATE DATABASE #{name} TEMPLATE template0 ENCODING '#{encoding}' LC_COLLATE '#{locale}' LC_CTYPE '#{locale}'")
      server.psql(DEFINITIONS, dbname: name)
      server.psql(settings.map { |setting, value| "ALTER DATABASE #{name} SET #{setting} = #{written(setting, value)};" }.join)
      yield name
    ensure
      server.drop_database(name)
    end

    # A list of schemas is not one quoted value.
    def written(setting, value) = setting == "search_path" && !value.empty? ? value : "'#{value}'"

    # With locales that this machine has beside C, in their encodings; money, numbers and the server's messages are in them too.
    def in_locales(server)
      kinds = server.psql(LOCALES).lines(chomp: true).map { |line| line.split("|") }
      kinds.to_h { |encoding, locale| ["locale_#{locale.downcase.gsub(/\W/, "_")}", [encoding, locale, CATEGORIES.to_h { |category| [category, locale] }]] }
    end
    private_class_method :written, :in_locales
  end
end
