# frozen_string_literal: true

module Trunkline
  # Where connection strings mean something else here than to libpq, and why. Each entry says for a string, and for what
  # libpq makes of it (a Hash, or :refused), whether it is such a case.
  LIBPQ_DIFFERENCES = {
    'a "@" after the host begins is the end of a password with an unencoded "@", "/" or ":" more often than part of a name' =>
      ->(string, libpq) { libpq != :refused && string.match?(%r{\Apostgres(?:ql)?://([^@/]*@)?+(\[[^\]]*\]|[^?])*(\[[^\]]*)?@}m) },
    "until libpq 17 spaces in URIs were taken as they are" =>
      ->(string, _libpq) { ::PG.library_version < 170_000 && string.match?(%r{\Apostgres(?:ql)?://.* }m) },
    "options that are newer than the libpq at hand" =>
      ->(string, libpq) { libpq == :refused && LIBPQ_NEWER_OPTIONS.any? { |name| string.include?(name) } }
  }.freeze

  # Our options that the libpq at hand does not know.
  LIBPQ_NEWER_OPTIONS = (Config.const_get(:Options).names - ::PG::Connection.conninfo_parse("").map { |option| option[:keyword] }).freeze
end
