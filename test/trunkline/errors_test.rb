# frozen_string_literal: true

require "test_helper"

module Trunkline
  class ErrorsTest < TestCase
    def test_an_error_answers_without_any_context
      error = Error.new("it broke")

      assert_equal "it broke", error.message
      assert_equal [nil, nil, nil], [error.sql, error.server, error.sqlstate]
      refute_predicate error, :sent?
      refute_predicate error, :retriable?
    end

    def test_the_message_ends_with_server_and_statement
      error = Closed.new("the client is closed", sql: "SELECT\n  1", server: "db:5432/app")

      assert_equal "the client is closed (server db:5432/app; SQL: SELECT 1)", error.message
      assert_equal "db:5432/app", error.server
      assert_equal "SELECT 1", error.sql
    end

    def test_the_message_without_the_statement
      ["SELECT '; SQL: x)'", "SELECT '\\0', 1 (SQL: 2)"].each do |sql|
        error = Error.new("it broke", sql: sql, server: "db").hide_sql
        assert_equal ["it broke (server db)", sql], [error.message, error.sql]
        assert_match(/: it broke \(server db\)/, error.full_message(highlight: false))
        assert_equal "it broke", Error.new("it broke", sql: sql).hide_sql.message
      end
      assert_equal "it broke (server db)", Error.new("it broke", server: "db").hide_sql.message
    end

    def test_raising_a_class_alone
      assert_equal "Trunkline::NotSent", assert_raises(NotSent) { raise NotSent }.message
    end

    def test_what_was_not_sent_can_be_tried_again
      [NotSent, Overloaded, ConnectionError].each do |error_class|
        assert_predicate error_class.new("x"), :retriable?
        refute_predicate error_class.new("x"), :sent?
      end
    end

    def test_a_connection_lost_after_sending_is_not_safe_to_retry
      refute_predicate ConnectionError.new("x", sent: true), :retriable?
    end

    def test_indeterminate_was_sent_and_is_not_safe_to_retry
      error = Indeterminate.new("the connection ended", sql: "SELECT 1")

      assert_predicate error, :sent?
      refute_predicate error, :retriable?
      assert_equal "the connection ended (SQL: SELECT 1)", error.message
    end

    def test_what_is_wrong_stays_wrong
      [SharedStateError, Closed, ProtocolError, ConfigError].each { |it| refute_predicate it.new("x"), :retriable? }
    end

    def test_what_was_late_may_be_tried_again_if_it_was_not_sent
      assert_equal [true, false], [false, true].map { |sent| Deadline.new("x", sent: sent).retriable? }
    end

    def test_a_caller_that_raises_may_know_better
      assert_predicate SharedStateError.new("x", retriable: true), :retriable?
      refute_predicate NotSent.new("x", retriable: false), :retriable?
    end
  end
end
