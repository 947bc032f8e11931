# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    # What a caller is told whose statement does not share.
    class SharingErrorsTest < TestCase
      TOLD = {
        "commit" => /\Acommit would begin or end a transaction .*: use transaction \{ \}, or session \{ \}/,
        "SAVEPOINT a" => /\ASAVEPOINT needs a transaction.*transaction \{ \}/,
        "RESET ALL" => /\ARESET would change settings .*session \{ \} or transaction \{ \}/,
        "SELECT pg_catalog.\"lastval\"()" => /\A"lastval" may leave state .*session \{ \} or transaction \{ \}/,
        "UNLISTEN *" => /\AUNLISTEN .*session \{ \}/,
        "COPY t TO STDOUT" => /\ACOPY transfers rows/,
        "SELECT 1; SELECT 2" => /followed by further statements: use execute_script/,
        "FROB 1" => /because of FROB .*session \{ \}/,
        "SELECT '#{"x" * 100}" => /because of 'x{39}\.\.\. it is not known whether the statement/,
        "SELECT /* 100% %s" => %r{because of /\* 100% %s it is not known whether the statement}
      }.freeze
      private_constant :TOLD

      def test_each_class_has_its_sentence
        TOLD.each do |sql, message|
          error = SharingErrors.refusal(Statement.new(sql, 0), "here")
          assert_match message, error.message
          assert_equal [false, false, "here"], [error.sent?, error.retriable?, error.server]
        end
      end
    end
  end
end
