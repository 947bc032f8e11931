# frozen_string_literal: true

require "test_helper"
require "support/database_helpers"

# Objects that have not even the methods of each object, in the place of a query's options.
class OddOptionsTest < Trunkline::TestCase
  include DatabaseHelpers

  def test_options_of_no_type
    odd = BasicObject.new
    with_client do |db|
      { query: %i[settings role group_commit as], value: %i[settings role group_commit], async: %i[settings role group_commit as] }.each do |verb, options|
        [db, db.with(deadline: 5)].product(options) do |asked, option|
          error = assert_raises(ArgumentError, TypeError, "#{verb}(#{option}:)") { asked.public_send(verb, "SELECT 1", option => odd) }
          assert_match(/\A(settings|a role|group_commit|as:|async has no group_commit)/, error.message)
        end
      end
    end
  end

  # The caller's own error, although the SQL is looked at again for it.
  def test_a_block_that_calls_what_is_not_there
    with_client { |db| assert_raises(NoMethodError) { db.query("SELECT 1") { |row| row.no_such_method } } }
  end
end
