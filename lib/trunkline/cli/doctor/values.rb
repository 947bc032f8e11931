# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Checks whether settings of the role and the database change values.
      module Values # :nodoc:
        SETTINGS = "SELECT pg_catalog.current_setting('array_nulls'), pg_catalog.current_setting('server_encoding')"
        NULLS = "array_nulls is off: nil in an Array parameter is stored as the text \"NULL\". ALTER ROLE ... SET array_nulls = on, or " \
                "options: \"-c array_nulls=on\"."
        ASCII = "The database is in SQL_ASCII: it keeps any bytes, and refuses to send as text what is not UTF-8 " \
                "(guides/connecting.md, \"Servers with odd settings\")."
        private_constant :SETTINGS, :NULLS, :ASCII

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def self.findings(patient)
          array_nulls, encoding = patient.db.query(SETTINGS).rows.first
          [([:trouble, NULLS] if array_nulls == "off"), ([:advice, ASCII] if encoding == "SQL_ASCII")].compact
        end
      end
      private_constant :Values
    end
  end
end
