# frozen_string_literal: true

require "test_helper"

module Trunkline
  class ServerErrorTest < TestCase
    FIELDS = {
      severity: "ERROR", sqlstate: "23505", message: 'duplicate key value violates unique constraint "t_pkey"',
      detail: "Key (id)=(secret) already exists.", hint: "h", position: 8, internal_position: 2, internal_query: "SELECT 2",
      where: "w", schema: "public", table: "t", column: "id", datatype: "int4", constraint: "t_pkey",
      file: "nbtinsert.c", line: 664, routine: "_bt_check_unique"
    }.freeze

    def test_the_sqlstate_chooses_the_class
      assert_instance_of UniqueViolation, ServerError.from_fields({ sqlstate: "23505" })
      assert_instance_of IntegrityConstraintViolation, ServerError.from_fields({ sqlstate: "23000" })
      assert_equal [UniqueViolation, IntegrityConstraintViolation, ServerError, Error], UniqueViolation.ancestors.first(4)
    end

    def test_an_unknown_code_falls_back_to_its_class_then_to_server_error
      assert_instance_of IntegrityConstraintViolation, ServerError.from_fields({ sqlstate: "23ZZZ" })
      assert_instance_of ServerError, ServerError.from_fields({ sqlstate: "ZZ123" })
      assert_instance_of ServerError, ServerError.from_fields({ sqlstate: "01000" })
      assert_instance_of ServerError, ServerError.from_fields({ sqlstate: "" })
      assert_instance_of ServerError, ServerError.from_fields({})
    end

    def test_every_field_can_be_read
      error = ServerError.from_fields(FIELDS)

      FIELDS.except(:message).each { |name, value| assert_equal value, error.public_send(name) }
      assert_equal FIELDS[:message], error.primary_message
      assert_equal FIELDS, error.fields
      assert_predicate error.fields, :frozen?
    end

    def test_the_message_has_the_servers_first_and_no_detail
      error = ServerError.from_fields(FIELDS, sql: "INSERT INTO t\nVALUES ($1)", server: "db:5432/app")

      assert_equal 'duplicate key value violates unique constraint "t_pkey" ' \
                   "(SQLSTATE 23505; server db:5432/app; SQL: INSERT INTO t VALUES ($1))", error.message
      assert_equal "db:5432/app", error.server
    end

    def test_an_error_without_fields_has_a_message_all_the_same
      assert_equal "the server reported an error without a message", ServerError.from_fields({}).message
    end

    def test_a_condition_can_be_raised_by_hand
      error = assert_raises(UniqueViolation) { raise UniqueViolation, "made up" }

      assert_equal "made up", error.message
      assert_nil error.sqlstate
    end

    def test_it_was_sent
      assert_predicate ServerError.from_fields(FIELDS), :sent?
    end

    def test_conditions_that_pass_by_themselves_are_retriable
      %w[40001 40P01 53300 57P03].each { |code| assert_predicate ServerError.from_fields({ sqlstate: code }), :retriable? }
      %w[40003 23505 57014 57P01].each { |code| refute_predicate ServerError.from_fields({ sqlstate: code }), :retriable? }
      assert_equal [true, true, false], %w[57P01 57P02 57P04].map { |code| ServerError.from_fields({ sqlstate: code }).unsent.retriable? }
    end
  end
end
