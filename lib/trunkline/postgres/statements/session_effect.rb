# frozen_string_literal: true

require_relative "parse_context"
require_relative "setting_names"

module Trunkline
  module Postgres
    # The effect of SQL on the server session that executes it, as far as its text shows. What is uncertain counts as the worst case.
    class SessionEffect # :nodoc:
      # Functions or libraries that may keep state in the server's process which no command certainly resets. It is searched anywhere in the text,
      # even in a string, which costs a connection at most; also Unicode escapes, which may hide names.
      LASTING = /setseed|isn_weak|dblink|replication_(?:slot|origin)|pg_(?:start_|stop_)?backup|\bload\s*(?:U&)?'|reset_user|set_user|
                 set_session_auth|hypopg|http_set_curlopt|\bpgv_|sepgsql|set_system_time|U&["']/xi
      # Names of settings by which functions are compiled; the result is kept.
      COMPILED = /\b(?:standard_conforming_strings|backslash_quote|plpgsql\s*+\.)/i
      # Statements and functions whose state a reset removes, and that do not affect how later statements are parsed.
      PASSING = /\A"?(?:currval|lastval|pg_(?:try_)?advisory_\w+|close|declare|fetch|move|lock|lo_\w+|loread|lowrite|set_limit|
                 cursor_to_xml\w*|pg_export_snapshot)\b/xi
      # Temporary objects hide others of the same name.
      TEMPORARY = /\A"?(?:temp|temporary|pg_temp\w*)\b/i
      # A call that is the statement's culprit, and one anywhere.
      SETTING = /\A"?set_config\b/i
      SETTING_CALL = /set_config/i
      # Settings by which SQL is tokenized or PL\/pgSQL is compiled: functions keep what they have parsed that way. And one that RESET ALL does not
      # reset.
      LASTING_SETTING = /\A(?:standard_conforming_strings|backslash_quote|plpgsql\..*|seed)\z/
      # Settings that affect neither parse analysis nor the planner's constants; also those of applications, and of most extensions.
      HARMLESS_SETTING = /\A(?:.+\..+|transaction|constraints|characteristics|application_name|client_min_messages|commit_\w+|synchronous_commit|
                          \w+_timeout|deadlock_\w+|\w*work_mem|temp_buffers|temp_file_limit|\w+_tablespaces?|log_\w+|track_\w+|
                          (?:default_)?transaction_\w+|vacuum_\w+|session_replication_role)\z/x
      # Settings that the server compares itself whenever it uses a plan.
      REVALIDATED_SETTING = /\A(?:search_path|role|session_authorization|row_security)\z/
      private_constant :LASTING, :COMPILED, :PASSING, :TEMPORARY, :SETTING, :SETTING_CALL, :LASTING_SETTING, :HARMLESS_SETTING, :REVALIDATED_SETTING

      # @return [Symbol] how later SQL is parsed: :same; :names, a name may mean another table, type or function, or there may be another plan;
      #   :plans, constants may also be read differently
      attr_reader :parse_context

      # @return [Symbol] what resets the session: :reset; :discard, DISCARD ALL; :close, only closing the connection
      attr_reader :cleanup

      # @param sql [String]
      # @param classification [Symbol] of the statement; :script for several
      # @param culprit [String] the word that determined it
      # @param keepers_effect [Symbol] {Statement#effect}
      # @return [SessionEffect]
      def self.of(sql, classification, culprit = "", keepers_effect = :visible)
        return FOR_GOOD if keepers_effect == :lasting

        effect = keepers_effect == :hidden ? ANYTHING : of_classification(sql, classification, culprit)
        effect.cleanup != :close && LASTING.match?(sql) ? new(effect.parse_context, :close) : effect
      end

      # @param source [String] of a function
      # @return [Boolean] whether it may have effects that only closing the connection resets
      def self.lasting?(source) = LASTING.match?(source) || COMPILED.match?(source)

      def initialize(parse_context, cleanup)
        @parse_context = parse_context
        @cleanup = cleanup
        freeze
      end

      NONE = new(:same, :reset)
      NAMES = new(:names, :reset)
      PLANS = new(:plans, :reset)
      ANYTHING = new(:plans, :discard)
      FOR_GOOD = new(:plans, :close)
      private_constant :NONE, :NAMES, :PLANS, :ANYTHING, :FOR_GOOD

      class << self
        private

        def of_classification(sql, classification, culprit)
          case classification
          when :setting then of_settings(SettingNames.of(sql))
          when :session then of_culprit(sql, culprit)
          when :script, :unknown then ANYTHING
          else NONE
          end
        end

        def of_culprit(sql, culprit)
          known = culprit.match?(PASSING) || culprit.match?(TEMPORARY) || culprit.match?(SETTING)
          return ANYTHING unless known

          more_lasting(sql.match?(SETTING_CALL) ? of_settings(SettingNames.of(sql)) : NONE, culprit.match?(TEMPORARY) ? NAMES : NONE)
        end

        # @param names [Array<String>, nil] nil: unknown
        def of_settings(names)
          return FOR_GOOD if names.nil?

          names.map { |name| of_setting(name) }.reduce(NONE) { |one, other| more_lasting(one, other) }
        end

        def more_lasting(one, other) = [FOR_GOOD, PLANS, NAMES, NONE].find { |effect| [one, other].include?(effect) }

        def of_setting(name)
          case name
          when LASTING_SETTING then FOR_GOOD
          when HARMLESS_SETTING then NONE
          when REVALIDATED_SETTING, ParseContext::PLANNING then NAMES
          else PLANS
          end
        end
      end
    end
    private_constant :SessionEffect
  end
end
