# frozen_string_literal: true

require_relative "../codec"

module Trunkline
  module Postgres
    # Some poolers refuse a session with settings that they do not know. Then those that determine the text form of values cannot be set, so this
    # checks that they have suitable values: with others, values would be decoded wrongly.
    module SessionSettingsCheck # :nodoc:
      # A positive number of extra digits makes each float exact.
      SQL = "SELECT pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('extra_float_digits')::int OPERATOR(pg_catalog.>=) 1"
      private_constant :SQL

      # @param trunk [Trunk] new
      # @param responses [ResponseReader]
      # @param interval_styles [Array<String>] in which intervals can be read
      # @return [Trunk] the same
      # @raise [ConnectionError] the session has other settings
      # @raise [Error] the query failed
      def self.check(trunk, responses, interval_styles)
        request = Request.script(SQL)
        trunk.perform(request)
        raise responses.error(request) unless request.answered?
        style, exact = responses.results(request, Result).first.rows.first
        return trunk if interval_styles.include?(style) && exact

        trunk.close(Startup::ADVICE)
        raise ConnectionError.new(Startup::ADVICE, server: trunk.server, retriable: false)
      end
    end
    private_constant :SessionSettingsCheck
  end
end
