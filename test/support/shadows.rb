# frozen_string_literal: true

# SQL for a schema with functions, operators, types and relations that have the names used in this library's statements, each of which raises an error
# or is useless: if it precedes pg_catalog on the search_path, each name that is not qualified fails.
module Shadows
  ROOT = File.expand_path("../..", __dir__)
  SOURCES = %w[lib/**/*.rb exe/* ext/trunkline/postgres/codec/statement_timeout.c].freeze
  private_constant :ROOT, :SOURCES

  TYPES = <<~SQL
    DO $$ DECLARE shadowed text; BEGIN
      FOR shadowed IN SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v') AND relname = ANY (WORDS)
      LOOP EXECUTE format('CREATE TABLE shadows.%I (shadowed int)', shadowed); END LOOP;
      FOR shadowed IN SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b' AND typname = ANY (WORDS)
      LOOP EXECUTE format('CREATE TYPE shadows.%I AS ENUM ()', shadowed); END LOOP;
    END $$;
  SQL
  FUNCTIONS = <<~SQL
    DO $$ DECLARE shadowed pg_catalog.pg_proc; BEGIN
      FOR shadowed IN SELECT * FROM pg_catalog.pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND proname = ANY (WORDS)
        AND NOT proargtypes::oid[] && ARRAY['internal', 'cstring']::regtype[]::oid[] AND provariadic = 0
      LOOP
        EXECUTE format('CREATE FUNCTION shadows.%I(%s) RETURNS pg_catalog.int4 LANGUAGE plpgsql AS %L', shadowed.proname,
                       (SELECT string_agg(format_type(type, NULL), ', ') FROM unnest(shadowed.proargtypes::oid[]) type),
                       format('BEGIN RAISE %L; END', shadowed.proname || ' is not qualified'));
      END LOOP;
    END $$;
  SQL
  OPERATORS = <<~SQL
    DO $$ DECLARE shadowed pg_catalog.pg_operator; name text; BEGIN
      FOR shadowed IN SELECT * FROM pg_catalog.pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprleft <> 0
        AND oprname IN ('=', '<>', '<', '<=', '>', '>=', '+', '-', '->>', '~~', '||')
      LOOP
        name := 'operator_' || shadowed.oid;
        EXECUTE format('CREATE FUNCTION shadows.%I(%s, %s) RETURNS bool LANGUAGE plpgsql AS %L', name, format_type(shadowed.oprleft, NULL),
                       format_type(shadowed.oprright, NULL), format('BEGIN RAISE %L; END', shadowed.oprname || ' is not qualified'));
        EXECUTE format('CREATE OPERATOR shadows.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = shadows.%I)', shadowed.oprname,
                       format_type(shadowed.oprleft, NULL), format_type(shadowed.oprright, NULL), name);
      END LOOP;
    END $$;
  SQL
  # Of the database, beside the schema.
  OWN_TYPES = <<~SQL
    CREATE TYPE public.pair AS (a int, b text); CREATE TYPE public.mood AS ENUM ('sad'); CREATE TYPE public.floats AS RANGE (SUBTYPE = float8);
    CREATE DOMAIN public.positive AS int; CREATE TABLE public.things (id int)
  SQL
  LOCK = Mutex.new
  private_constant :TYPES, :FUNCTIONS, :OPERATORS, :OWN_TYPES, :LOCK

  # A search_path on which the shadows precede pg_catalog.
  PATH = "shadows, public, pg_catalog"

  module_function

  # @param server [Trunkline::Bench::PostgresServer]
  # @return [String] the name of a database with the schema; made once, and gone with the server
  def database(server)
    LOCK.synchronize do
      @database ||= "shadowed".tap do |name|
        server.psql("CREATE DATABASE #{name}")
        server.psql("#{OWN_TYPES};#{sql}", dbname: name)
      end
    end
  end

  # @return [String]
  def sql
    quoted = words.map { |word| "'#{word}'" }.join(",")
    "CREATE SCHEMA shadows; #{[FUNCTIONS, OPERATORS, TYPES].map { |part| part.gsub("WORDS", "ARRAY[#{quoted}]::name[]") }.join}"
  end

  # @return [Array<String>] every word that could be a name
  def words = sources.flat_map { |file| File.read(file).scan(/[a-z_][a-z0-9_]+/) }.uniq

  # @return [Array<String>] the files that may hold SQL
  def sources = Dir[*SOURCES.map { |source| File.join(ROOT, source) }]
end
