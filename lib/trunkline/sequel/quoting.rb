# frozen_string_literal: true

module Sequel
  module Trunkline
    # Writes values within SQL. Whether the server reads a backslash in a literal as an escape depends on the session: it does not, unless the holder
    # of a connection has set standard_conforming_strings to off there.
    module Quoting # :nodoc:
      private

      # A text with a backslash is escaped each time, as another session may read it differently.
      def literal_string_append(sql, value)
        return super unless value.include?("\\")

        disable_sql_caching!
        super(sql, backslashes_escape? ? value.gsub("\\") { "\\\\" } : value)
      end

      def literal_blob_append(sql, value)
        disable_sql_caching!
        sql << (backslashes_escape? ? "'\\\\x" : "'\\x") << value.unpack1("H*") << "'"
      end

      def backslashes_escape? = db.pool.connection_for(@opts[:server]).backslashes_escape?
    end
    private_constant :Quoting
  end
end
