# frozen_string_literal: true

require_relative "statements"

module Trunkline
  module Postgres
    # Values and names within SQL, where parameters are not allowed.
    module Escaping
      # @param string [String]
      # @return [String] a literal with its quotes: 'O''Reilly'; with backslashes it begins with a blank, and no setting of the server changes its
      #   meaning: " E'a\\\\b'"
      # @raise [ArgumentError, TypeError, EncodingError] it contains a zero byte, is not a String, or is not valid in its encoding
      def escape_literal(string)
        text = Statements.text(string)
        quoted = "'#{text.gsub("'", "''")}'"
        text.include?("\\") ? " E#{quoted.gsub("\\") { "\\\\" }}" : quoted
      end

      # @param name [String, Symbol] of a table, column, role, ...
      # @return [String] the name in double quotes, case-sensitive: "Users" is not "users"
      # @raise [ArgumentError, TypeError, EncodingError] as {#escape_literal}; or it is empty
      def escape_identifier(name)
        text = Statements.text(Symbol === name ? name.name : name)
        raise ArgumentError, "a name cannot be empty" if text.empty?

        %("#{text.gsub('"', '""')}")
      end
    end
  end
end
