# frozen_string_literal: true

require "test_helper"

module Trunkline
  # Methods by the names that other libraries have for them: the error says what to write here.
  class OtherNamesTest < TestCase
    POSTGRES = ::Trunkline::Postgres
    private_constant :POSTGRES

    def setup
      super
      @db = Trunkline.postgres("postgres://127.0.0.1:1/app")
      @cache = Trunkline.memcached("127.0.0.1:1")
    end

    def teardown
      @db.close
      @cache.close
      super
    end

    def test_what_to_write_is_there
      told.each do |object, names|
        names.instead.each_value do |text|
          written = text[/\A[a-z_]+[!?]?/]
          assert_respond_to object, written, text unless written.nil? || (written == "session" && !object.is_a?(POSTGRES::Client))
        end
      end
    end

    def test_each_name_says_what_to_write
      told.each do |object, names|
        names.instead.each do |name, text|
          refute_respond_to object, name
          error = assert_raises(NoMethodError, name.inspect) { object.public_send(name, "SELECT 1") { flunk } }
          said = text.start_with?(",") ? text : ": write #{text}"
          assert_equal ["there is no method #{name} here#{said}", name, ["SELECT 1"]], [error.message.lines.first.chomp, error.name, error.args]
          assert_same object, error.receiver
        end
      end
    end

    # A delegator of Ruby's calls the private methods of all objects, too: exec would replace this process.
    def test_a_scope_runs_no_program
      scope = @db.with(deadline: 60)
      assert_match(/write query\(sql, \*values\)/, assert_raises(NoMethodError) { scope.exec("exit 7") }.message)
      assert_match(/write query\(sql, \*values\)/, assert_raises(NoMethodError) { scope.select("SELECT 1") }.message)
    end

    def test_other_names_are_rubys_to_refuse
      told.each_key do |object|
        error = assert_raises(NoMethodError) { object.no_such_name(1) }
        assert_match(/undefined method [`']no_such_name'/, error.message)
        refute_respond_to object, :no_such_name
        assert_equal [object], [[object]].flatten
      end
    end

    private

    # @return [Hash{Object => OtherNames}] objects, and the names that they refuse
    def told
      result = POSTGRES::Result.new([[1]], POSTGRES.const_get(:Description).empty, 1)
      verbs = POSTGRES.const_get(:OtherVerbs)
      prepared = POSTGRES::PreparedStatement.new(@db, "SELECT 1", nil)
      copy = POSTGRES::CopyIn.allocate
      { copy => POSTGRES.const_get(:OtherRows), prepared => POSTGRES.const_get(:OtherCalls), POSTGRES::Batch.new({}) => POSTGRES.const_get(:OtherBatchCalls), @db => verbs, @db.with(deadline: 60) => verbs, result => POSTGRES.const_get(:OtherReaders), @cache => Memcached.const_get(:OtherCommands) }.compare_by_identity
    end
  end
end
