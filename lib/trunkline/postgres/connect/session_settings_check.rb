# frozen_string_literal: true

require_relative "../codec"

module Trunkline
  module Postgres
    # Some poolers refuse a session that asks for settings which they do not know, and so it could not be told how to write values
    # as text. Then it is asked whether it does so all the same: anything else would be read wrongly.
    module SessionSettingsCheck # :nodoc:
      # Before PostgreSQL 12 a float needed three extra digits to be exact; since then any positive number makes it so.
      QUESTION = "SELECT pg_catalog.current_setting('IntervalStyle') OPERATOR(pg_catalog.=) 'postgres' " \
                 "AND pg_catalog.current_setting('extra_float_digits')::int OPERATOR(pg_catalog.>=) " \
                 "CASE WHEN pg_catalog.current_setting('server_version_num')::int OPERATOR(pg_catalog.<) 120000 THEN 3 ELSE 1 END"
      ADVICE = "the pooler did not let IntervalStyle and extra_float_digits be set, and the server has other values than postgres " \
               "and at least 1 (before version 12: 3): set them for the role or the database, with ALTER ROLE ... SET"
      private_constant :QUESTION, :ADVICE

      # @param trunk [Trunk] new
      # @param responses [ResponseReader]
      # @return [Trunk] the same
      # @raise [ConnectionError] the session writes values in another way
      # @raise [Error] it could not be asked
      def self.check(trunk, responses)
        request = Request.script(QUESTION)
        trunk.perform(request)
        raise responses.error(request) unless request.answered?
        return trunk if responses.results(request, Result).first.value

        trunk.close(ADVICE)
        raise ConnectionError.new(ADVICE, server: trunk.server, retriable: false)
      end
    end
    private_constant :SessionSettingsCheck
  end
end
