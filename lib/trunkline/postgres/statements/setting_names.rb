# frozen_string_literal: true

module Trunkline
  module Postgres
    # The settings that a statement changes, with their values, as far as its text shows: SET, RESET, and calls of set_config with a constant name.
    module SettingNames # :nodoc:
      NAME = /"?([A-Za-z_][\w.]*)"?/
      # First words that stand for the name of a setting.
      FORMS = { "timezone" => /TIME\s+ZONE\b/i, "session_authorization" => /SESSION\s+AUTHORIZATION\b/i, "characteristics" => /SESSION\s+CHARACTERISTICS\b/i,
                "client_encoding" => /NAMES\b/i, "search_path" => /SCHEMA\b/i }.freeze
      COMMAND = /\A\s*+(?:SET\s++(?:(?:SESSION|LOCAL)\s++(?!AUTHORIZATION|CHARACTERISTICS))?|RESET\s++)/i
      RESET = /RESET/i
      ASSIGNMENT = /\A\s*+(?:=|TO\b)?\s*+/i
      CALL = /\bset_config"?\s*\(\s*'([^']+)'\s*,\s*(?:'([^']*)')?/i
      ANY_CALL = /set_config/i
      private_constant :NAME, :FORMS, :COMMAND, :RESET, :ASSIGNMENT, :CALL, :ANY_CALL

      module_function

      # @param sql [String] one statement
      # @return [Array<String>, nil] in lower case; nil: unknown
      def of(sql) = changes(sql)&.map(&:first)

      # @param sql [String] one statement
      # @return [Array<Array(String, String)>, nil] names in lower case, and the values' text; nil: a name is not constant
      def changes(sql)
        command = COMMAND.match(sql)
        return calls(sql) unless command

        name, rest = name_in(command.post_match)
        return unless name

        [[name, (value_in(rest) unless command[0].match?(RESET))]]
      end

      def value_in(text) = text.sub(ASSIGNMENT, "").rstrip.delete_suffix(";").rstrip.delete_prefix("'").delete_suffix("'")

      def name_in(text)
        form, match = FORMS.lazy.map { |name, pattern| [name, /\A#{pattern}/.match(text)] }.find(&:last)
        return [form, match.post_match] if match

        match = /\A#{NAME}/.match(text)
        match && [match[1].downcase, match.post_match]
      end

      def calls(sql)
        calls = sql.scan(CALL)
        calls.map { |name, value| [name.downcase, value] } if !calls.empty? && calls.size == sql.scan(ANY_CALL).size
      end

      private_class_method :name_in, :value_in, :calls
    end
    private_constant :SettingNames
  end
end
