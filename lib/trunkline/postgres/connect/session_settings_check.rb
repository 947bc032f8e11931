# frozen_string_literal: true

require_relative "../codec"

module Trunkline
  module Postgres
    # Some poolers refuse a session that asks for settings which they do not know, and so it could not be told how to write values
    # as text. Then it is asked whether it does so all the same: anything else would be read wrongly.
    module SessionSettingsCheck # :nodoc:
      # A positive number of extra digits makes each float exact.
      SQL = "SELECT pg_catalog.current_setting('IntervalStyle'), pg_catalog.current_setting('extra_float_digits')::int OPERATOR(pg_catalog.>=) 1"
      private_constant :SQL

      # @param trunk [Trunk] new
      # @param responses [ResponseReader]
      # @param interval_styles [Array<String>] in which intervals can be read
      # @return [Trunk] the same
      # @raise [ConnectionError] the session writes values in another way
      # @raise [Error] it could not be asked
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
