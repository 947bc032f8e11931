# frozen_string_literal: true

require_relative "statements"

module Trunkline
  module Postgres
    # Values and names within SQL, for where parameters cannot be.
    module Escaping
      # @param string [String]
      # @return [String] a literal with its quotes: 'O''Reilly'; with backslashes, which no setting of the server reads in
      #   another way, it begins with a blank: " E'a\\\\b'"
      # @raise [ArgumentError, TypeError, EncodingError] it holds a zero byte, is no String, or is not valid in its encoding
      def escape_literal(string)
        text = Statements.text(string)
        quoted = "'#{text.gsub("'", "''")}'"
        text.include?("\\") ? " E#{quoted.gsub("\\") { "\\\\" }}" : quoted
      end

      # @param name [String, Symbol] of a table, column, role, ...
      # @return [String] the name in double quotes, as it is: "Users" is not "users"
      # @raise [ArgumentError, TypeError, EncodingError] as {#escape_literal}; or it is empty, which no name can be
      def escape_identifier(name)
        text = Statements.text(Symbol === name ? name.name : name)
        raise ArgumentError, "a name cannot be empty" if text.empty?

        %("#{text.gsub('"', '""')}")
      end
    end
  end
end
