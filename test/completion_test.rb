# frozen_string_literal: true

require "test_helper"

# What completion shows of the objects that users hold: verbs, and beside them only what objects of this library ask of each other across
# files, each by name. A new public method must be written into one of the lists: it is private, or its users are told of it.
class CompletionTest < Trunkline::TestCase
  POSTGRES = Trunkline::Postgres
  ASKING = %i[
    async batch column copy_in copy_out describe escape_identifier escape_literal execute_script explain first insert notify ping prepare query
    stream transaction value with
  ].freeze
  VERBS = {
    POSTGRES::Client => [*ASKING, :classify, :close, :closed?, :listen, :on_notice, :session, :stats, :types, :use],
    POSTGRES::Session => [*ASKING, :copy, :failed?, :wait_for_notification],
    POSTGRES::Transaction => [*ASKING, :after_commit, :failed?, :rollback],
    POSTGRES::Result => %i[
      [] affected_rows as column columns each each_hash empty? fields last length modifiers notices pretty_print rows size to_a types value values
    ],
    POSTGRES::Future => %i[cancel done? each rows value wait]
  }.freeze
  # Of objects that carry requests.
  CARRYING = %i[begins_elsewhere? commit_apart commit_together decoding dispatch holds_connection? localized own_session perform statements_for].freeze
  OWN = {
    POSTGRES::Client => [*CARRYING, :answer_form, :ask, :check_array_nulls, :connection_count, :disconnect, :outdate_plans, :passing, :virtual_session],
    POSTGRES::Session => [
      *CARRYING, :attempt, :begin_copy, :command, :conclude, :copying, :fetch, :finish, :in_transaction?, :innermost?,
      :lend, :lent?, :localize, :next_portal, :pinned, :responses, :result_class, :server, :stain_with, :statements
    ],
    POSTGRES::Transaction => [*CARRYING, :begin_with, :local, :nested, :over?, :run, :statements],
    POSTGRES::Result => [], POSTGRES::Future => []
  }.freeze
  private_constant :POSTGRES, :ASKING, :VERBS, :CARRYING, :OWN

  def test_completion_shows_verbs_and_what_is_named_here
    VERBS.each do |owner, verbs|
      shown = owner.public_instance_methods - Object.public_instance_methods - Enumerable.public_instance_methods
      assert_equal [], shown - verbs - OWN[owner], "#{owner}: neither private nor named"
      assert_equal [], OWN[owner] - shown, "#{owner}: no longer public, and still named"
    end
  end

  def test_verbs_are_there
    VERBS.each { |owner, verbs| assert_equal [], verbs - owner.public_instance_methods, owner.name }
  end

  # Result and Future, which applications hand around, have nothing of the library's own.
  def test_answers_show_verbs_alone
    assert_empty OWN.values_at(POSTGRES::Result, POSTGRES::Future).flatten
  end

  def test_a_result_is_marshalled_by_private_methods
    result = Marshal.load(Marshal.dump(with_client { |db| db.query("SELECT 1 AS one") }))
    assert_equal [{ "one" => 1 }], result.to_a
  end
end
