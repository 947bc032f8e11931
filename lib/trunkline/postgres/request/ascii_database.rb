# frozen_string_literal: true

module Trunkline
  module Postgres
    # A database in SQL_ASCII stores bytes unchanged. If these are not UTF-8, the server refuses to send them as text.
    module AsciiDatabase # :nodoc:
      ENCODING = "SQL_ASCII"
      CHARACTER_NOT_IN_REPERTOIRE = "22021"
      HINT = "The database is in SQL_ASCII and holds bytes that are not UTF-8. convert_to(column, 'SQL_ASCII') reads them as a BINARY String, and " \
             "convert_from($1, 'SQL_ASCII') writes one; convert_from(convert(convert_to(column, 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'UTF8') " \
             "reads text that was stored in LATIN1."
      private_constant :CHARACTER_NOT_IN_REPERTOIRE, :HINT

      # @param fields [Hash{Symbol => String, Integer}] of an error of such a database
      # @return [Hash{Symbol => String, Integer}] the same, with a hint if the server refuses such bytes
      def self.hinted(fields) = fields[:sqlstate] == CHARACTER_NOT_IN_REPERTOIRE ? { **fields, hint: HINT } : fields
    end
    private_constant :AsciiDatabase
  end
end
