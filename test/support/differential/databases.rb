# frozen_string_literal: true

require_relative "random_settings"

class Differential
  # Databases by their options for CREATE DATABASE, and by settings: for all, for a role, for a role in the database.
  module Databases
    # By name: encoding, LC_COLLATE and LC_CTYPE, settings.
    ENCODED = {
      "utf8" => %w[UTF8 C], "latin1" => %w[LATIN1 C], "latin2" => %w[LATIN2 C], "latin9" => %w[LATIN9 C], "win1252" => %w[WIN1252 C],
      "koi8r" => %w[KOI8R C], "euc_jp" => %w[EUC_JP C], "euc_kr" => %w[EUC_KR C], "euc_cn" => %w[EUC_CN C], "sql_ascii" => %w[SQL_ASCII C]
    }.freeze
    # By name, in UTF8 and the locale C: the settings.
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
      "free_quotes" => { "backslash_quote" => "off", "escape_string_warning" => "on" }, "xml_content" => { "xmloption" => "content", "xmlbinary" => "base64" },
      "limited" => { "statement_timeout" => "60s", "lock_timeout" => "10s", "idle_in_transaction_session_timeout" => "10min" },
      "deferrable" => { "default_transaction_isolation" => "serializable", "default_transaction_deferrable" => "on" },
      "repeatable" => { "default_transaction_isolation" => "repeatable read" }, "few_digits" => { "extra_float_digits" => "1" },
      "explained" => { "session_preload_libraries" => "auto_explain", "auto_explain.log_min_duration" => "0", "client_min_messages" => "log" },
      "quiet" => { "client_min_messages" => "error" }, "half_hour" => { "TimeZone" => "Asia/Kolkata" }, "far_east" => { "TimeZone" => "Pacific/Kiritimati" },
      "india" => { "timezone_abbreviations" => "India" }, "no_planner" => { "enable_seqscan" => "off", "enable_hashjoin" => "off", "jit" => "on" },
      "odd" => { "DateStyle" => "German, YMD", "IntervalStyle" => "sql_standard", "bytea_output" => "escape", "extra_float_digits" => "-3",
                 "TimeZone" => "Asia/Kathmandu", "standard_conforming_strings" => "off", "client_encoding" => "SQL_ASCII", "search_path" => "other",
                 "array_nulls" => "off" }
    }.freeze
    SHORT = %w[euc_jp sql_ascii odd role_german both_iso_ymd].freeze
    # By the prefix of a database's name: what has the settings. Where two have them, those of the role in the database count.
    HOLDERS = {
      "" => ["DATABASE %<database>s"], "role_" => ["ROLE %<role>s"], "both_" => ["DATABASE %<database>s", "ROLE %<role>s", "ROLE %<role>s IN DATABASE %<database>s"]
    }.freeze
    # Settings of the database and of the role, where those of the role in the database must take precedence.
    OVERRULED = { "DateStyle" => "SQL, MDY", "IntervalStyle" => "sql_standard", "TimeZone" => "Africa/Cairo", "extra_float_digits" => "2", "bytea_output" => "hex",
                  "search_path" => "public", "client_encoding" => "LATIN2", "array_nulls" => "on" }.freeze
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
    private_constant :ENCODED, :SET, :SHORT, :HOLDERS, :OVERRULED, :DEFINITIONS, :LOCALES, :CATEGORIES

    module_function

    # @param server [Trunkline::Bench::PostgresServer]
    # @param short [Boolean] a few that differ much, not all
    # @return [Hash{String => Array}] by name: encoding, locale, Hash of settings, what has them
    def all(server, short: false)
      set = HOLDERS.flat_map { |before, holders| SET.map { |name, settings| ["#{before}#{name}", ["UTF8", "C", settings, holders]] } }.to_h
      databases = { **ENCODED, **set }
      return databases.slice(*SHORT) if short

      { **databases, **in_locales(server) }
    end

    # @param seed [Integer]
    # @return [Array] as a value of {all}, with random settings
    def random(server, seed)
      random = RandomSettings.new(server.uri, seed)
      ["UTF8", "C", random.choose, random.one_of(HOLDERS.values)]
    ensure
      random&.close
    end

    # @yieldparam uri [String] of a database that exists for the block, as a role that does so too
    def create(server, name, encoding, locale, settings = {}, holders = HOLDERS.fetch(""))
      role = "#{name}_role"
      server.psql("CREATE DATABASE #{name} TEMPLATE template0 ENCODING '#{encoding}' LC_COLLATE '#{locale}' LC_CTYPE '#{locale}'")
      server.psql("#{DEFINITIONS}; CREATE ROLE #{role} LOGIN SUPERUSER", dbname: name)
      server.psql(holders.map { |holder| altered(format(holder, database: name, role: role), holder == holders.last ? settings : OVERRULED.slice(*settings.keys)) }.join)
      yield server.uri(dbname: name, user: role)
    ensure
      server.drop_database(name)
      server.psql("DROP ROLE IF EXISTS #{role}")
    end

    def altered(holder, settings) = settings.map { |setting, value| "ALTER #{holder} SET #{setting} = #{written(setting, value)};" }.join

    # A list of schemas is not one quoted value.
    def written(setting, value) = setting == "search_path" && !value.empty? ? value : "'#{value.gsub("'", "''")}'"

    # Databases with this machine's locales besides C, in their encodings, which also affect money, numbers and the server's messages.
    def in_locales(server)
      kinds = server.psql(LOCALES).lines(chomp: true).map { |line| line.split("|") }
      kinds.to_h { |encoding, locale| ["locale_#{locale.downcase.gsub(/\W/, "_")}", [encoding, locale, CATEGORIES.to_h { |category| [category, locale] }]] }
    end
    private_class_method :altered, :written, :in_locales
  end
end
