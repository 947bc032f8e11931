# frozen_string_literal: true

require "test_helper"

module Trunkline
  class SqlstateTest < TestCase
    CLASSES = ServerError::BY_SQLSTATE

    def test_every_class_of_errors_has_its_generic_condition
      CLASSES.each do |sqlstate, error_class|
        generic = CLASSES.fetch("#{sqlstate[0, 2]}000")

        assert_equal sqlstate.end_with?("000") ? ServerError : generic, error_class.superclass
        assert_equal sqlstate, error_class::SQLSTATE
      end
    end

    def test_names_that_occur_twice
      assert_equal [NullValueNotAllowed, ExternalRoutineInvocationNullValueNotAllowed], CLASSES.values_at("22004", "39004")
      assert_equal [ModifyingSqlDataNotPermitted, ExternalRoutineModifyingSqlDataNotPermitted], CLASSES.values_at("2F002", "38002")
      assert_equal StringDataRightTruncation, CLASSES["22001"]
    end

    def test_success_and_warnings_have_no_class
      assert_empty CLASSES.keys.grep(/\A0[012]/)
    end

    def test_the_conditions_people_rescue
      expected = {
        "40001" => SerializationFailure, "40P01" => DeadlockDetected, "57014" => QueryCanceled, "28P01" => InvalidPassword,
        "3D000" => InvalidCatalogName, "42P01" => UndefinedTable, "42601" => SyntaxError, "08P01" => ProtocolViolation,
        "23503" => ForeignKeyViolation, "55P03" => LockNotAvailable, "P0001" => RaiseException
      }

      assert_equal expected, CLASSES.slice(*expected.keys)
    end
  end
end
