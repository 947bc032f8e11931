# frozen_string_literal: true

require_relative "comments"
require_relative "session_remains"
require_relative "setting_names"

module Trunkline
  module Postgres
    # Session state that a statement creates or needs. Behind a pooler that gives each transaction another server session, it would be lost, or be
    # another client's. Only certain cases count: the text does not show what a function or a DO does.
    module SessionNeed # :nodoc:
      # Settings that a pooler restores for each client, as the server reports them.
      TRACKED = %w[application_name client_encoding datestyle timezone standard_conforming_strings].freeze
      SETTING = /\A\s*+SET\b/i
      LISTEN = /\A\s*+LISTEN\b/i
      LOCK = /\A"?pg_(?:try_)?advisory_(?:lock|unlock)(?:_shared)?\b/i
      TEMPORARY = /\A"?(?:temp|temporary|pg_temp\w*)\b/i
      DROPPED_AT_COMMIT = /\bON\s++COMMIT\s++DROP\b/i
      CREATING = /\A\s*+CREATE\b|\bINTO\s++(?:LOCAL\s++|GLOBAL\s++)?TEMP/i
      HOLD = /\bWITH\s++HOLD\b/i
      CONFIG = /\A"?set_config\b/i
      RECALLING = /\A"?(?:currval|lastval)\b/i
      # State of views or functions that lasts for the session, in transactions or not.
      KEPT = /\A"?(?:pg_settings|setseed|isn_weak|set_limit|set_smlar_limit|set_user|set_user_u|reset_user|set_session_auth|set_system_time|sepgsql_setcon|
              hypopg_\w+|http_(?:re)?set_curlopt|pgv_\w+|dblink_connect|dblink_connect_u|pg_background_launch|pg_replication_origin_session_setup)\b/xi
      # In a script: beginnings of statements, and calls anywhere.
      SCRIPT = /(?:\A|;)\s*+(?:LISTEN|PREPARE(?!\s++TRANSACTION)|LOAD|DECLARE\b[^;]*?\bWITH\s++HOLD)\b|\bpg_(?:try_)?advisory_lock(?:_shared)?\s*+\(/i
      SCRIPT_SETTING = /(?:\A|;)\s*+(SET\b[^;]*+)/i
      SCRIPT_TEMPORARY = /(?:\A|;)\s*+CREATE\s++(?:LOCAL\s++|GLOBAL\s++)?TEMP[^;]*+(?<rest>.*+)/im
      private_constant :TRACKED, :SETTING, :LISTEN, :LOCK, :TEMPORARY, :DROPPED_AT_COMMIT, :CREATING, :HOLD, :CONFIG, :RECALLING, :KEPT, :SCRIPT,
                       :SCRIPT_SETTING, :SCRIPT_TEMPORARY

      module_function

      # @param request [Request] of a statement or of a script
      # @param open [Boolean] whether it runs in a transaction that is open already
      # @return [Symbol, nil] :setting, :listen, :lock, :temporary, :hold, :prepared or :other; nil: no known need
      def of(request, open)
        return of_script(request.script) if request.script

        statement = request.statement
        case statement&.classification
        when :setting then :setting if lasting_setting?(Comments.remove(statement.sql))
        when :listen then :listen if LISTEN.match?(Comments.remove(statement.sql))
        when :session then of_culprit(statement, open)
        end
      end

      def of_culprit(statement, open)
        return :other unless statement.effect == :visible

        sql = Comments.remove(statement.sql)
        case statement.culprit
        when LOCK then :lock
        when TEMPORARY then :temporary unless open && (DROPPED_AT_COMMIT.match?(sql) || !CREATING.match?(sql))
        when /\ADECLARE\z/i then :hold if HOLD.match?(sql)
        when /\A(?:PREPARE|EXECUTE)\z/i then :prepared
        when CONFIG then :setting if lasting_setting?(sql)
        when RECALLING then :other unless open
        when KEPT, /\ALOAD\z/i then :other
        end
      end

      def lasting_setting?(sql)
        return false if SessionRemains.passing?(sql)
        return false unless SETTING.match?(sql) || sql.match?(/set_config/i)

        names = SettingNames.of(sql)
        names.nil? || !(names - TRACKED).empty?
      end

      def of_script(script)
        text = Comments.remove(script) { "''" }
        return :setting if text.scan(SCRIPT_SETTING).any? { |(sql)| lasting_setting?(sql) }

        temporary = SCRIPT_TEMPORARY.match(text)
        return :temporary if temporary && !DROPPED_AT_COMMIT.match?(temporary[0]) && !temporary[:rest].match?(/\bDROP\s++TABLE\b/i)

        :other if SCRIPT.match?(text)
      end

      private_class_method :of_culprit, :lasting_setting?, :of_script
    end
    private_constant :SessionNeed
  end
end
