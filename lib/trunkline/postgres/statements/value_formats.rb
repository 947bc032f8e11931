# frozen_string_literal: true

require_relative "../../errors"
require_relative "setting_names"

module Trunkline
  module Postgres
    # Settings that determine how the server writes values: DateStyle, IntervalStyle and client_encoding. Values in another form could not be told
    # from those in the usual one, so no session may change them to it.
    class ValueFormats # :nodoc:
      STYLES = /(?:\A|[\s,'])(?:sql|postgres|german)/i
      INTERVALS = /\A(?:postgres|default)\z/i
      # If it is unknown how the connection was opened.
      SOME_INTERVALS = /\A(?:postgres|iso_8601|default)\z/i
      UTF8 = /\A(?:utf-?8|unicode|default)\z/i
      # In a script, at the beginning of a statement.
      IN_SCRIPT = /(?:\A|;)\s*(SET\s+(?:LOCAL\s+|SESSION\s+)?(?:datestyle|intervalstyle|client_encoding|names)\b[^;]*)/i
      # Statements that are allowed after a function has changed a setting all the same: they may set it back.
      SETTING_BACK = %i[setting transaction savepoint].freeze
      private_constant :STYLES, :INTERVALS, :SOME_INTERVALS, :UTF8, :IN_SCRIPT, :SETTING_BACK

      # @param given [Hash{String => String}] what the server reported at startup
      def initialize(given)
        @interval_style = given["IntervalStyle"]
      end

      # @param request [Request] to be sent, of a statement or a script
      # @param server [String] label
      # @raise [SharedStateError] it sets another form
      def check(request, server)
        return request.script.scan(IN_SCRIPT) { |(sql)| check_changes(sql, server) } if request.script

        statement = request.statement
        check_changes(statement.sql, server) if statement.classification == :setting || statement.culprit.match?(/set_config/i)
      end

      # @param request [Request] to be sent
      # @param parameters [Hash{String => String}] what the server reports about the session
      # @param server [String] label
      # @raise [SharedStateError] values have another form now, and the request does not change that
      def check_session(request, parameters, server)
        return if SETTING_BACK.include?(request.statement&.classification)

        name, value = parameters.slice("DateStyle", "IntervalStyle", "client_encoding").find { |setting, reported| !readable?(setting.downcase, reported) }
        return unless name

        raise SharedStateError.new("the session has #{name} #{value.inspect}, in which values could not be read: set it back first, with RESET #{name}",
                                   sql: request.statement&.sql || request.script, server: server)
      end

      private

      def check_changes(sql, server)
        name, value = SettingNames.changes(sql)&.find { |setting, to| to && !readable?(setting, to) }
        return unless name

        raise SharedStateError.new("#{name} #{value.inspect} changes how the server writes values, which could not be read then: use to_char where " \
                                   "another form is wanted", sql: sql, server: server)
      end

      # A client that parses intervals itself may have any IntervalStyle, such as ActiveRecord's, which is opened with iso_8601.
      def readable?(name, value)
        case name
        when "datestyle" then !value.match?(STYLES)
        when "intervalstyle" then @interval_style == "iso_8601" || value.match?(@interval_style ? INTERVALS : SOME_INTERVALS)
        when "client_encoding" then value.match?(UTF8)
        else true
        end
      end
    end
    private_constant :ValueFormats
  end
end
