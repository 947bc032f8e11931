# frozen_string_literal: true

# Sequel's own adapter defines it, if it can be loaded, now or later: Ruby would warn about a constant that is defined already.
begin
  require "sequel/adapters/postgres" unless Gem::Specification.find_all_by_name("pg").empty?
rescue LoadError
  nil
ensure
  Sequel::Postgres::USES_PG = true unless Sequel::Postgres.const_defined?(:USES_PG) && Sequel::Postgres.autoload?(:USES_PG).nil?
end
