# frozen_string_literal: true

require "pg"

class Differential
  # Random settings of a role or a database, among all that a role may set, each with a random valid value.
  class RandomSettings
    # Settings that are left out: those that end each session, that take minutes, or that affect only the server's log.
    LEFT_OUT = %w[
      exit_on_error debug_discard_caches ignore_system_indexes log_parser_stats log_planner_stats log_executor_stats log_statement_stats
      ignore_checksum_failure zero_damaged_pages wal_debug trace_sort max_stack_depth temp_file_limit
      jit_above_cost jit_inline_above_cost jit_optimize_above_cost jit_expressions
    ].freeze
    # Timeouts in milliseconds of a statement, a wait or a session, which would end it at random.
    TIMEOUTS = /_timeout\z/
    SHORTEST = 120_000
    # By name, for those of type string: a query for values.
    STRINGS = {
      "TimeZone" => "SELECT name FROM pg_timezone_names WHERE name NOT LIKE 'posix%' ORDER BY name", "client_encoding" => "SELECT pg_encoding_to_char(n) FROM generate_series(0, 41) n",
      "default_text_search_config" => "SELECT cfgname FROM pg_ts_config ORDER BY 1", "timezone_abbreviations" => "VALUES ('Default'), ('Australia'), ('India')",
      "DateStyle" => "SELECT style || ', ' || ord FROM unnest('{ISO,SQL,Postgres,German}'::text[]) style, unnest('{MDY,DMY,YMD}'::text[]) ord",
      "application_name" => "VALUES ('a ''quoted'' \\ \"name\"'), (''), (repeat('x', 63))", "search_path" => "VALUES ('other, public'), ('pg_catalog'), ('\"$user\", other')",
      "default_tablespace" => "VALUES ('pg_default'), ('')", "session_preload_libraries" => "VALUES ('auto_explain')", "lc_monetary" => "VALUES ('C'), ('C.UTF-8')",
      "lc_numeric" => "VALUES ('C'), ('C.UTF-8')", "lc_time" => "VALUES ('C'), ('C.UTF-8')", "lc_messages" => "VALUES ('C'), ('C.UTF-8')"
    }.freeze
    SETTABLE = "SELECT name, vartype, min_val, max_val, enumvals, boot_val FROM pg_settings WHERE context IN ('user', 'superuser') ORDER BY name"
    # Values in an interval, besides its ends, as fractions of it, as most intervals are very large.
    FRACTIONS = [0, 1, 1e-6, 1e-3, 0.1, 0.5].freeze
    MOST = 40
    private_constant :LEFT_OUT, :TIMEOUTS, :SHORTEST, :STRINGS, :SETTABLE, :FRACTIONS, :MOST

    # @param uri [String] of the server, as a superuser
    # @param seed [Integer]
    def initialize(uri, seed)
      @random = Random.new(seed)
      @connection = PG.connect(uri)
      @settable = @connection.exec(SETTABLE).to_a.reject { |setting| LEFT_OUT.include?(setting["name"]) }
    end

    # @return [Hash{String => String}] one to forty
    def choose
      @settable.sample(1 + @random.rand(MOST), random: @random).filter_map { |setting| taken(setting["name"], value(setting)) }.to_h
    end

    # @return [Object] one of them
    def one_of(list) = list.sample(random: @random)

    def close = @connection.close

    private

    # @return [Array(String, String), nil] nil: the server refuses it
    def taken(name, value)
      return unless value
      return if name.match?(TIMEOUTS) && !value.to_i.zero? && value.to_i < SHORTEST

      @connection.transaction { @connection.exec_params("SELECT set_config($1, $2, true)", [name, value]) }
      [name, value]
    rescue PG::Error
      nil
    end

    def value(setting)
      case setting["vartype"]
      when "bool" then one_of(%w[on off])
      when "enum" then one_of(PG::TextDecoder::Array.new.decode(setting["enumvals"]))
      when "integer" then number(setting).round.to_s
      when "real" then number(setting).to_s
      else STRINGS[setting["name"]]&.then { |query| one_of(@connection.exec(query).column_values(0)) }
      end
    end

    def number(setting)
      least, most, usual = setting.values_at("min_val", "max_val", "boot_val").map(&:to_f)
      one_of([usual, *FRACTIONS.map { |fraction| least + ((most - least) * fraction) }])
    end
  end
end
