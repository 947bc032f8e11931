# frozen_string_literal: true

require "test_helper"

# What completion shows of the objects that users hold, and what they can call: verbs, and nothing that objects of this library ask of each other.
# A new public method must be written into the list: it is private, or its users are told of it.
class CompletionTest < Trunkline::TestCase
  POSTGRES = Trunkline::Postgres
  ASKING = %i[
    async batch column copy_in copy_out describe escape_identifier escape_literal execute_script explain first insert notify ping prepare query
    stream transaction value with
  ].freeze
  VERBS = {
    POSTGRES::Client => [*ASKING, :classify, :close, :closed?, :connection_count, :disconnect, :listen, :on_notice, :position, :replica, :session, :stats, :types, :use],
    POSTGRES::Session => [*ASKING, :copy, :failed?, :wait_for_notification],
    POSTGRES::Transaction => [*ASKING, :after_commit, :failed?, :rollback],
    POSTGRES::Result => %i[
      [] affected_rows as column columns each each_hash empty? fields last length modifiers notices pretty_print rows size to_a types value values
    ],
    POSTGRES::Future => %i[cancel done? each rows value wait]
  }.freeze
  private_constant :POSTGRES, :ASKING, :VERBS

  def test_completion_shows_verbs_alone
    VERBS.each do |owner, verbs|
      assert_equal [], shown(owner.public_instance_methods, owner) - verbs, "#{owner}: neither private nor named"
      assert_equal [], verbs - owner.public_instance_methods, "#{owner}: named, and not there"
    end
  end

  # Of objects as they are at work: what extends them for middlewares, shared flushes and detected functions shows nothing more.
  def test_objects_at_work_show_no_more
    with_client(group_commit: true, session_functions: :detect, middlewares: [Module.new]) do |db|
      assert_empty shown(db.public_methods) - VERBS[POSTGRES::Client]
      db.session { |session| assert_empty shown(session.public_methods) - VERBS[POSTGRES::Session] }
      db.transaction { |transaction| assert_empty shown(transaction.public_methods) - VERBS[POSTGRES::Transaction] }
      scope = db.with(deadline: 60)
      assert_empty shown(scope.public_methods) - shown(Delegator.public_instance_methods) - VERBS[POSTGRES::Client]
      %i[perform own_session statements_for].each { |name| assert_raises(NoMethodError) { scope.public_send(name) } }
    end
  end

  def test_a_result_is_marshalled_by_private_methods
    result = Marshal.load(Marshal.dump(with_client { |db| db.query("SELECT 1 AS one") }))
    assert_equal [{ "one" => 1 }], result.to_a
  end

  private

  # Without what all objects have, or all that are enumerable.
  def shown(names, owner = Object)
    common = owner < Enumerable ? Enumerable.public_instance_methods - owner.public_instance_methods(false) : []
    names - Object.public_instance_methods - common
  end
end
